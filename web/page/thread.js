// The thread that reads: begun once, ended when somebody cancels, and begun again.

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

    /** What was asked has no answer, and the module is gone. */
    fail(message, name) {
        const { waiting } = this;
        this.stop();
        waiting?.reject(Object.assign(new Error(message), { input: name }));
    }

    stop() {
        this.worker?.terminate();
        this.worker = this.waiting = null;
    }

    /** Ends what runs, if anything does. */
    cancel() {
        const { waiting } = this;
        if (waiting) this.stop();
        waiting?.reject(Object.assign(new Error("canceled"), { canceled: true }));
    }

    /** Asks the module about files; the answer is {head, blocks}. Files that it has need not be given again. */
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
