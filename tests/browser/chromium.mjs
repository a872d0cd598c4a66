// Chromium over its debugging pipe: pages are opened, clicked and looked at as a person would. Needs Node and Chromium, nothing else.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-pipe",
];
/** Milliseconds after which something that does not come is a failure. */
const PATIENCE = 20_000;

export class Chromium {
    static async start(program) {
        const chromium = new Chromium();
        chromium.profile = mkdtempSync(join(tmpdir(), "pm4-pages-"));
        chromium.process = spawn(program, [...FLAGS, `--user-data-dir=${chromium.profile}`, "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
        chromium.answers = new Map();
        chromium.listeners = [];
        chromium.number = 0;
        let rest = "";
        chromium.process.stdio[4].setEncoding("utf8").on("data", (text) => {
            const messages = (rest + text).split("\0");
            rest = messages.pop();
            for (const message of messages) chromium.take(JSON.parse(message));
        });
        chromium.process.on("exit", () => { for (const { reject } of chromium.answers.values()) reject(new Error("Chromium ended")); });
        return chromium;
    }

    take(message) {
        const waiting = this.answers.get(message.id);
        if (!waiting) return this.listeners.forEach((listener) => listener(message));
        this.answers.delete(message.id);
        if (message.error) waiting.reject(new Error(message.error.message));
        else waiting.resolve(message.result);
    }

    send(method, params = {}, sessionId) {
        const id = ++this.number;
        return new Promise((resolve, reject) => {
            const late = setTimeout(() => reject(new Error(`${method} is not answered`)), 2 * PATIENCE);
            const settle = (how) => (value) => { clearTimeout(late); how(value); };
            this.answers.set(id, { resolve: settle(resolve), reject: settle(reject) });
            this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
        });
    }

    /** A new page of this size. */
    async page(width, height, dark = false) {
        const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
        const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
        const page = new Page(this, sessionId, targetId);
        for (const domain of ["Page", "Runtime", "Network", "Log"]) await page.send(`${domain}.enable`);
        await page.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
        await page.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }, { name: "prefers-reduced-motion", value: "reduce" }] });
        return page;
    }

    async stop() {
        const ended = new Promise((resolve) => this.process.once("exit", resolve));
        this.send("Browser.close").catch(() => {});
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5000))]);
        this.process.kill("SIGKILL");
        rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
    }
}

export class Page {
    constructor(chromium, session, target) {
        Object.assign(this, { chromium, session, target, problems: [], requests: [] });
        chromium.listeners.push((message) => message.sessionId === session && this.take(message));
    }

    send(method, params) { return this.chromium.send(method, params, this.session); }

    /** Whatever a person would see in the console is a problem, and so is each request that leaves the page. */
    take({ method, params }) {
        if (method === "Runtime.exceptionThrown") this.problems.push(`exception: ${params.exceptionDetails.exception?.description ?? params.exceptionDetails.text}`);
        if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) this.problems.push(`console: ${params.args.map((a) => a.value ?? a.description).join(" ")}`);
        if (method === "Log.entryAdded" && params.entry.level !== "verbose") this.problems.push(`log: ${params.entry.text}`);
        if (method === "Page.javascriptDialogOpening") {
            this.problems.push(`dialog: ${params.message}`);
            this.send("Page.handleJavaScriptDialog", { accept: false }).catch(() => {});
        }
        if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    }

    async open(url, ready = 'document.documentElement.dataset.ready === "yes"') {
        const begun = Date.now();
        await this.send("Page.navigate", { url });
        await this.until(ready, `${url} is ready`);
        return Date.now() - begun;
    }

    /** The value of an expression in the page. */
    async get(expression) {
        const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
        if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
        return result.value;
    }

    /** Milliseconds that the main thread of the page has used a processor: unlike time of the clock, the same on a busy machine. */
    async processorTime() {
        await this.send("Performance.enable", { timeDomain: "threadTicks" });
        const { metrics } = await this.send("Performance.getMetrics");
        return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
    }

    /** Waits until an expression is true. */
    async until(expression, what = expression) {
        for (const begun = Date.now(); Date.now() - begun < PATIENCE; await new Promise((resolve) => setTimeout(resolve, 20))) {
            if (await this.get(`Boolean(${expression})`).catch(() => false)) return;
        }
        throw new Error(`this does not come: ${what}${this.problems.length ? `; ${this.problems.join("; ")}` : ""}`);
    }

    /** Clicks where the first element that fits a selector (and holds a text) is seen. */
    async click(selector, text) {
        const find = `[...document.querySelectorAll(${JSON.stringify(selector)})].find((e) => e.getClientRects().length && (${text === undefined} || e.textContent.includes(${JSON.stringify(text ?? "")})))`;
        await this.until(find, `${selector}${text === undefined ? "" : ` with "${text}"`}`);
        // Where it is must not change any more, and nothing may lie over it.
        const spot = `(() => {
            const e = ${find};
            if (!e) return null;
            e.scrollIntoView({ block: "center", inline: "nearest" });
            const r = e.getClientRects()[0], x = r.x + Math.min(r.width / 2, 60), y = r.y + r.height / 2, hit = document.elementFromPoint(x, y);
            return hit && (e.contains(hit) || hit.contains(e)) ? [x, y] : null;
        })()`;
        let last = null, seen = null;
        for (const begun = Date.now(); Date.now() - begun < PATIENCE; await new Promise((resolve) => setTimeout(resolve, 20))) {
            [last, seen] = [seen, await this.get(spot)];
            if (last && seen && last[0] === seen[0] && last[1] === seen[1]) break;
        }
        if (!seen) throw new Error(`this cannot be clicked: ${selector}`);
        const [x, y] = seen;
        await this.clickAt(x, y);
    }

    async clickAt(x, y) {
        for (const type of ["mouseMoved", "mousePressed", "mouseReleased"]) await this.send("Input.dispatchMouseEvent", { type, x, y, button: type === "mouseMoved" ? "none" : "left", clickCount: 1 });
    }

    /** Presses keys; a longer name is that of one key. */
    async press(...keys) {
        for (const key of keys) {
            const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
            const code = { Enter: 13, Escape: 27, ArrowDown: 40, ArrowUp: 38, ArrowLeft: 37, ArrowRight: 39, End: 35, Home: 36, PageDown: 34 }[key];
            await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", key, text, windowsVirtualKeyCode: code });
            await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, windowsVirtualKeyCode: code });
        }
    }

    type(text) { return this.press(...text); }

    async screenshot() {
        const { data } = await this.send("Page.captureScreenshot", { format: "png" });
        return Buffer.from(data, "base64");
    }

    close() { return this.chromium.send("Target.closeTarget", { targetId: this.target }); }
}
