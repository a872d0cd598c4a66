"use strict";
// The worker that runs the module: it receives files, calls the module, and posts the answers.

let exported = null;

/** Sends a request to the module and returns its answer: [head, bytes after the head]. */
function ask(head, bytes) {
    const line = new TextEncoder().encode(JSON.stringify(head) + "\n");
    const at = exported.room(line.length + bytes.length) >>> 0;
    const room = new Uint8Array(exported.memory.buffer, at, line.length + bytes.length);
    room.set(line);
    room.set(bytes, line.length);
    const length = exported.ask() >>> 0;
    const answer = new Uint8Array(exported.memory.buffer, exported.answer() >>> 0, length);
    const end = answer.indexOf(10);
    return [JSON.parse(new TextDecoder().decode(answer.subarray(0, end))), answer.subarray(end + 1)];
}

/** The message of a panic in the module; empty if it ended for another reason. */
function panicText() {
    try {
        return new TextDecoder().decode(new Uint8Array(exported.memory.buffer, exported.panic_text() >>> 0, exported.panic_length() >>> 0));
    } catch {
        return "";
    }
}

onmessage = async ({ data: { module, number, files, head } }) => {
    let name = "";
    try {
        if (module) {
            const progress = (done, all) => postMessage({ number, progress: [done, all] });
            exported = (await WebAssembly.instantiate(module, { page: { progress } })).exports;
        }
        for (const file of files ?? []) {
            name = file.name;
            let bytes;
            try {
                bytes = new Uint8Array(await file.data.arrayBuffer());
            } catch (error) {
                postMessage({ number, head: { kind: "error", message: `${name} cannot be read: ${error.message}` }, blocks: [] });
                return;
            }
            ask({ do: "file", name }, bytes);
        }
        name = (files ?? []).map((file) => file.name).join(", ");
        const [told, rest] = ask(head, new Uint8Array());
        const blocks = [];
        let at = 0;
        for (const [block, length, packed] of told.blocks ?? []) {
            blocks.push([block, rest.slice(at, at + length), packed]);
            at += length;
        }
        if (!told.blocks) blocks.push(["text", rest.slice()]);
        postMessage({ number, head: told, blocks }, blocks.map(([, bytes]) => bytes.buffer));
    } catch (error) {
        // The module is unusable from here on; the page starts another.
        postMessage({ number, broken: panicText() || (error instanceof RangeError ? "there is not enough memory" : `${error.message ?? error}`), name });
    }
};
