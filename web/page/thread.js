// The worker that reads files: started once, terminated on cancel, and started again.

class Thread {
    constructor() {
        this.number = 0;
        this.module = this.worker = null;
    }

    /** The module, compiled once. */
    compile() {
        this.module ??= WebAssembly.compileStreaming(new Response(blockStream("module"), { headers: { "content-type": "application/wasm" } }));
        return this.module;
    }

    script() {
        this.url ??= blockText("worker").then((text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
        return this.url;
    }

    async begin() {
        const [module, url] = await Promise.all([this.compile(), this.script()]);
        if (this.worker) return;
        this.worker = new Worker(url);
        this.worker.onmessage = ({ data }) => this.take(data);
        this.worker.onerror = (event) => this.fail(event.message || "the thread did not start");
        this.fresh = module;
    }

    take(data) {
        const { waiting } = this;
        if (!waiting || data.number !== waiting.number) return;
        if (data.progress) return waiting.progress?.(...data.progress);
        if (data.broken) return this.fail(data.broken, data.name);
        this.waiting = null;
        waiting.resolve(data);
    }

    /** Rejects the pending request and discards the module. */
    fail(message, name) {
        const { waiting } = this;
        this.stop();
        waiting?.reject(Object.assign(new Error(message), { input: name }));
    }

    stop() {
        this.worker?.terminate();
        this.worker = this.waiting = null;
    }

    /** Cancels the running request, if any. */
    cancel() {
        const { waiting } = this;
        if (waiting) this.stop();
        waiting?.reject(Object.assign(new Error("canceled"), { canceled: true }));
    }

    /** Sends a request about files to the module; the answer is {head, blocks}. Files that the module already holds need not be sent again. */
    async ask(head, files, progress) {
        await this.begin();
        const number = ++this.number;
        return new Promise((resolve, reject) => {
            this.waiting = { number, resolve, reject, progress };
            this.worker.postMessage({ module: this.fresh, number, head, files });
            this.fresh = undefined;
        });
    }
}
