// The page: takes files, has the worker read them, and shows the result in the viewers.

/** Maximum total size of the files in bytes: the library's limit for one input. */
const MOST_BYTES = 2 ** 30;
/** Maximum number of characters of text shown; the whole text can be saved. */
const MOST_TEXT = 2_000_000;

class Page {
    constructor() {
        this.thread = new Thread();
        this.files = [];
        this.chip = null;
        this.mode = "check";
        this.bar = el("header", { id: "bar", class: "no-print" });
        this.said = el("span", { role: "status" });
        this.app = document.getElementById("app");
        document.body.prepend(this.bar);
        this.listen();
        this.start();
        // While the file chooser is open.
        this.thread.begin().catch((error) => this.trouble([`This browser cannot run the page: ${error.message}`]));
    }

    listen() {
        const over = (yes) => document.body.classList.toggle("over", yes);
        addEventListener("dragover", (event) => { event.preventDefault(); over(true); });
        addEventListener("dragleave", (event) => { if (!event.relatedTarget) over(false); });
        addEventListener("drop", async (event) => {
            event.preventDefault();
            over(false);
            const text = event.dataTransfer.getData("text/plain");
            try {
                const files = await droppedFiles(event.dataTransfer);
                if (files.length) this.open(files);
                else if (text) this.openText(text);
                else this.trouble(["Nothing that was dropped is a file or text."]);
            } catch (error) {
                this.trouble([error.message]);
            }
        });
        addEventListener("hashchange", () => {
            const manual = decoded(location.hash).match(/^#manual\/(.*)/s);
            if (manual) this.showManual(manual[1]);
            else if (this.manual) this.files.length ? this.read(this.mode) : this.start();
        });
        addEventListener("keydown", (event) => {
            if (event.key === "/" && this.manual?.search && !event.ctrlKey && this.manual.tree.activeElement !== this.manual.search) { event.preventDefault(); this.manual.search.focus(); }
        });
        addEventListener("paste", (event) => {
            if (event.target.closest?.("input, textarea")) return;
            const files = [...event.clipboardData.files].map(named), text = event.clipboardData.getData("text/plain");
            if (files.length) this.open(files);
            else if (text) this.openText(text);
        });
    }

    /** Replaces the content shown. */
    show(...parts) {
        this.view?.end();
        this.view = null;
        this.themed = false;
        this.manual = null;
        fill(this.app, parts);
        this.drawBar();
    }

    page(...parts) { this.show(el("div.page", null, el("main", null, parts))); }

    drawBar() {
        const mode = (name, title, what, can = true) => el("button", {
            onclick: () => can && this.read(name), title: what, "aria-pressed": String(this.mode === name && !this.manual), "aria-disabled": can ? null : "true",
        }, title);
        fill(this.bar, el("span.name", null, "pm4"), el("button", { onclick: () => this.start(), title: "Read other files" }, "Open…"),
            this.files.length > 0 && !this.busy && [
                mode("check", "Check", "What went wrong: findings, packets, draws, registers"),
                mode("dump", "Dump", "Packets, decoded and not run"),
                mode("diff", "Compare", "What differs between the draws of two files", this.files.length === 2),
                mode("text", "Text", "What the program check prints"),
            ],
            el("button", { onclick: () => { location.hash = "manual/index.html"; }, title: "Registers, packets and rules of all generations", "aria-pressed": String(Boolean(this.manual)) }, "Manual"),
            this.said, !this.themed && theme.button());
    }

    /** The first view. */
    start() {
        this.thread.cancel();
        this.turn = (this.turn ?? 0) + 1;
        this.busy = false;
        this.files = [];
        this.chip = null;
        this.mode = "check";
        document.title = "pm4: read a dump of an AMD GPU";
        history.replaceState(null, "", "#");
        fill(this.said);
        const chosen = (event) => this.open([...event.target.files].map(named));
        const files = el("input", { type: "file", multiple: true, hidden: true, onchange: chosen, "aria-label": "Files" });
        const folder = el("input", { type: "file", webkitdirectory: true, hidden: true, onchange: chosen, "aria-label": "A folder" });
        const text = el("textarea", { id: "paste", spellcheck: "false", placeholder: "[  812.104233] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, …", onkeydown: (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.openText(text.value); } });
        this.page(
            el("h1", null, "Read a dump of an AMD GPU"),
            el("p.lead", null, "Drop a kernel log, a device coredump or a command stream, and read what stopped the GPU. Nothing is installed and nothing leaves this machine: the page uses no network."),
            el("div.drop", null, el("p", null, "Drop files or a folder anywhere on this page, or choose them:"),
                el("div.choices", null, el("button.primary", { onclick: () => files.click() }, "Files…"), el("button", { onclick: () => folder.click() }, "A folder…")),
                el("p.dim", null, "What belongs together goes in together: a coredump and its log, the folder of RADV_DEBUG=hang, an archive."), files, folder),
            el("div.paste", null, el("label", { for: "paste" }, "Or paste text:"), text, el("p", null, el("button", { onclick: () => this.openText(text.value) }, "Read the text"), el("span.dim", null, "  Ctrl Enter"))),
            el("div.card", null, el("h3", null, "What can be read"), el("ul", null,
                ["logs of the kernel (dmesg, journalctl, as pasted anywhere), device coredumps of amdgpu, rings of debugfs", "what umr, Mesa and PAL print, words as hexadecimal text, raw little-endian words", "each also packed: gzip, xz, zstd, lzma, zip, tar, quoted-printable, UTF-16, HTML"].map((line) => el("li", null, line)))));
        document.documentElement.dataset.ready = "yes";
    }

    /** A page of the manual. */
    async showManual(to) {
        try {
            if (!this.manual) {
                this.thread.cancel();
                this.turn = (this.turn ?? 0) + 1;
                this.busy = false;
                const root = el("div.page");
                this.show(root);
                this.themed = true;
                this.manual = new ManualView(root, (path) => this.thread.ask({ do: "manual", path }), (path) => { location.hash = `manual/${path}`; });
                fill(this.said);
                this.drawBar();
            }
            const wrong = await this.manual.show(to);
            if (wrong) return this.trouble([wrong]);
            document.title = `${this.manual.title}: AMD GPU registers`;
            document.documentElement.dataset.shown = "manual";
        } catch (error) {
            if (!error.canceled) this.trouble([`The manual: ${error.message}`]);
        }
    }

    openText(text) {
        if (!text.trim()) return this.trouble(["There is no text: paste a log or a dump first."]);
        this.open([{ name: "pasted.txt", data: new Blob([text]) }]);
    }

    open(files) {
        const bytes = files.reduce((sum, file) => sum + file.data.size, 0);
        if (!files.length) return this.trouble(["The folder is empty."]);
        if (bytes > MOST_BYTES) return this.trouble([`The files have ${size(bytes)} together, and the page reads ${size(MOST_BYTES)} at most: the program check reads more.`]);
        this.thread.cancel();
        this.files = files;
        this.chip = null;
        this.held = null;
        this.read("check");
    }

    /** Reads the files with a command, and shows the result. */
    async read(mode) {
        this.mode = mode;
        this.thread.cancel();
        this.busy = true;
        const turn = (this.turn = (this.turn ?? 0) + 1);
        const begun = performance.now(), names = this.files.map((file) => file.name);
        delete document.documentElement.dataset.shown;
        const bar = el("progress", { max: 1, "aria-label": "Progress" }), what = el("p", { role: "status" }, `Reading ${listed(names)}`);
        // Fast reads show no progress bar.
        const waiting = setTimeout(() => this.page(el("h1", null, "Reading"), what, bar, el("p", null, el("button", { onclick: () => this.start() }, "Cancel"))), 150);
        const progress = (done, all) => {
            if (all) bar.value = done / all;
            fill(what, `Reading ${listed(names)}: ${size(done)} of ${size(all)}`);
        };
        try {
            const has = this.held === this.files && this.thread.worker === this.holder;
            if (!has) await this.thread.ask({ do: "clear" });
            const answer = await this.thread.ask({ do: mode, chip: this.chip, format: "text" }, has ? [] : this.files, progress);
            clearTimeout(waiting);
            if (turn !== this.turn) return;
            this.held = this.files;
            this.holder = this.thread.worker;
            this.busy = false;
            const shown = await this.answer(answer, names);
            this.took = performance.now() - begun;
            document.documentElement.dataset.shown = shown ?? mode;
        } catch (error) {
            clearTimeout(waiting);
            if (error.canceled || turn !== this.turn) return;
            this.busy = false;
            this.trouble([`${error.input || listed(names)}: the page failed while it read this, which is a mistake of the page: ${error.message}`, "Nothing of it was sent anywhere. Please report the line above to the authors of pm4; what is in the file need not be shown."]);
        }
    }

    async answer({ head, blocks }, names) {
        if (head.kind === "error") return this.trouble(head.message.split("\n"));
        if (head.kind === "chip") return this.askChip(head);
        const notes = [...(head.notes ?? []), ...(head.remarks ?? [])];
        history.replaceState(null, "", "#");
        document.title = head.title ?? `${listed(names)}: ${this.mode}`;
        if (head.kind === "text") return this.text(new TextDecoder().decode(blocks[0][1]), notes);
        made.clear();
        for (const [name, bytes, packed] of blocks) made.set(name, { bytes, packed });
        if (head.kind === "log") {
            const root = el("div.page");
            this.show(root);
            this.themed = true;
            this.drawBar();
            showLog(root, JSON.parse(await blockText("head")));
            this.noted(notes, root.querySelector("main"));
        } else {
            const capture = await Capture.load();
            this.show();
            this.view = new App(capture);
            this.themed = true;
            this.drawBar();
        }
        window.page = this.view ?? { told: head };
        fill(this.said, head.verdict?.[0] ?? "", notes.length > 0 && ` ${notes.join("; ")}`);
        this.said.title = notes.join("\n");
    }

    noted(notes, into) {
        if (!notes.length) return;
        const card = el("div.card", null, el("h3", null, "Not read"), notes.map((note) => el("p.wrap", null, note)));
        // The verdict stays on top.
        if (into.firstElementChild) into.firstElementChild.after(card);
        else into.append(card);
    }

    text(text, notes) {
        const shown = text.length > MOST_TEXT ? text.slice(0, text.lastIndexOf("\n", MOST_TEXT)) : text;
        const save = () => {
            const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
            el("a", { href: url, download: `${this.mode}.txt` }).click();
            setTimeout(() => URL.revokeObjectURL(url), 10_000);
        };
        this.page(notes.map((note) => el("p.wrap", null, note)), el("div.choices", { style: "justify-content:flex-start" }, copyButton(text), el("button", { onclick: save }, "Save")),
            shown.length < text.length && el("p", null, `Here are the first ${size(shown.length)} of ${size(text.length)}; Save has all.`), el("pre.whole", { tabindex: 0, "aria-label": "What the program prints" }, shown));
        this.app.querySelector("main").classList.add("wide");
        fill(this.said);
    }

    trouble(lines) {
        fill(this.said);
        this.page(el("div.card.trouble", { role: "alert" }, el("h1", null, "This cannot be read"), lines.map((line) => el("p", null, forPage(line)))),
            el("p.choices", null, el("button.primary", { onclick: () => this.start() }, "Read something else")));
        this.app.querySelector("button").focus();
        return (document.documentElement.dataset.shown = "trouble");
    }

    askChip(head) {
        const groups = new Map();
        for (const chip of head.chips) push(groups, chip.gfx, chip);
        const select = el("select", { "aria-label": "Chip" }, [...groups].map(([gfx, chips]) => el("optgroup", { label: gfx }, chips.map(({ name, aliases }) => el("option", { value: name }, [name, ...aliases].join(", "))))));
        const form = el("form.chips", { onsubmit: (event) => { event.preventDefault(); this.chip = select.value; this.read(this.mode); } }, select, el("button.primary", { type: "submit" }, "Read it"));
        this.page(el("h1", null, "Which chip is it from?"), el("p", null, "Packets and registers differ between chips, and nothing in the files says which one this is."), el("p.dim.wrap", null, forPage(head.message)), form,
            el("p", null, el("button", { onclick: () => this.start() }, "Read something else")));
        select.focus();
        return "chip";
    }
}

/** The messages of the program, with the page's controls in place of options. */
const forPage = (line) => line.replace("name it with --chip", "choose it here").replace(". Name the form with --input, or remove text before the dump", "");

const listed = (names) => (names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.join(", "));

function size(bytes) {
    const units = ["bytes", "kB", "MB", "GB"];
    const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
    return `${(bytes / 1000 ** power).toLocaleString("en", { maximumFractionDigits: power ? 1 : 0 })} ${units[power]}`;
}

theme.start();
if ("DecompressionStream" in window && "WebAssembly" in window) window.shell = new Page();
else fill(document.getElementById("app"), el("p.loading", null, "This browser is too old: the page needs WebAssembly and DecompressionStream (Chromium 80, Firefox 113, Safari 16.4, or later)."));
