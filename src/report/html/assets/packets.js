// The page of packets: its parts, lists and keys.

/** The page: its state is in the address, `#packets/12?q=…`. */
class App extends Views {
    /** `tools` are buttons of the surrounding page. */
    constructor(capture, tools = []) {
        super();
        this.capture = capture;
        this.tools = tools;
        this.ending = new AbortController();
        this.tabs = [
            ["overview", "Overview"],
            (capture.head.hang || capture.head.incidents?.verdict.length > 0) && ["hang", "Hang"],
            capture.findings.length && ["findings", capture.isRun ? "Findings" : "Damage", capture.findings.length],
            ["packets", "Packets", capture.steps],
            capture.draws.length && ["draws", "Draws", capture.draws.length],
            capture.registers.length && ["registers", "Registers", capture.registers.length],
            capture.memory.length && ["memory", "Memory", capture.memory.length],
            ["statistics", "Statistics"],
        ].filter(Boolean);
        const { signal } = this.ending;
        this.help = keys(this.keys(), signal);
        this.build();
        addEventListener("hashchange", () => this.show(), { signal });
        let narrow = this.narrow;
        const resized = new ResizeObserver(() => {
            if (narrow !== this.narrow) { narrow = this.narrow; this.showDetail(); }
        });
        resized.observe(this.detail);
        signal.addEventListener("abort", () => resized.disconnect());
        this.show();
    }

    /** Removes the listeners of the page before another page replaces it. */
    end() { this.ending.abort(); }

    get narrow() { return this.detail.clientWidth < 640; }

    keys() {
        const move = (step) => () => (this.list ? this.list.move(step) : false);
        return [
            [["/"], "search", () => this.focusSearch()],
            [["j", "ArrowDown"], "next line of the list", move(1)],
            [["k", "ArrowUp"], "previous line of the list", move(-1)],
            [["]"], "next draw", () => this.goDraw(1)],
            [["["], "previous draw", () => this.goDraw(-1)],
            [["1", "2", "3", "4", "5", "6", "7", "8"], "the parts of the page, from the left", (event) => { const tab = this.tabs[Number(event.key) - 1]; return tab ? this.go(tab[0]) : false; }],
            [["+", "-", "0"], "timeline: zoom in, zoom out, show all (also the wheel, and drag)", (event) => {
                if (event.key === "0") this.timeline.show(0, this.capture.steps);
                else this.timeline.zoom(event.key === "+" ? 0.6 : 1 / 0.6);
            }],
            [["t"], "light, dark, as the system", () => theme.next()],
            [["Escape"], "back to the list", () => { document.activeElement?.blur(); if (this.main.classList.contains("detail-open") && innerWidth <= 900) this.go(this.tab); }],
        ];
    }

    build() {
        const { capture } = this, { head } = capture;
        const names = [...head.buffers].sort((a, b) => b.dwords - a.dwords).map((buffer) => buffer.name);
        this.nav = el("nav", { "aria-label": "Parts of the page" });
        this.timeline = new Timeline(capture, (to) => this.go(to), this.ending.signal);
        this.main = el("main");
        this.detail = el("section.detail", { "aria-live": "polite", "aria-label": "Selected item" });
        fill(document.getElementById("app"),
            el("header", null,
                el("div.name", null, el("h1", { title: names.join("\n") }, names.length ? baseName(names[0]) : "no stream", names.length > 1 && ` and ${names.length - 1} more`), el("span.pill", null, head.chip ?? head.gfx), head.chip && el("span.pill", null, head.gfx)),
                this.nav,
                el("span.buttons.no-print", null, this.tools, theme.button(), el("button", { onclick: () => this.help(), title: "Keys (?)", "aria-label": "Keys" }, "?"))),
            capture.steps ? this.timeline.element : el("div"),
            this.main);
    }

    go(to, replace) {
        if (replace) { history.replaceState(null, "", `#${to}`); this.show(); }
        else location.hash = to;
    }

    /** Focuses the search; from a part without a list, or with the list hidden by the selection, goes to the list first. */
    focusSearch() {
        if (!this.source) this.go("packets", true);
        else if (this.main.classList.contains("detail-open") && innerWidth <= 900) this.go(this.tab, true);
        const input = document.querySelector(".tools input");
        input?.focus();
        input?.select();
    }

    goDraw(step) {
        if (!this.capture.draws.length) return false;
        let draw = this.tab === "draws" ? Number(this.chosen) : null;
        if (draw === null || Number.isNaN(draw)) {
            const at = this.tab === "packets" && this.chosen ? Number(this.chosen) : 0;
            draw = this.capture.draws.findIndex((d) => d.step >= at) + (step > 0 ? -1 : 0);
        }
        this.go(`draws/${Math.max(0, Math.min(this.capture.draws.length - 1, draw + step))}`);
    }

    show() {
        const [path, query] = location.hash.slice(1).split("?");
        const [tab, chosen] = path.split("/");
        const options = new URLSearchParams(query);
        this.chosen = decoded(chosen ?? "");
        const known = this.tabs.some(([name]) => name === tab) ? tab : this.tabs[1][0] === "hang" ? "hang" : "overview";
        const search = options.get("q") ?? "", kind = options.get("kind") ?? "";
        this.compareWith = options.get("with");
        if (known !== this.tab || (known === "packets" && (options.has("q") || options.has("kind")) && (search !== this.search || kind !== this.kindFilter))) {
            this.tab = known;
            this.search = search;
            this.kindFilter = kind;
            this.buildTab();
        }
        fill(this.nav, this.tabs.map(([name, title, number]) => el("a", { href: `#${name}`, "aria-current": name === this.tab ? "page" : null }, title, number !== undefined && el(`span.dim${name === "findings" && this.capture.findings.some((f) => f.severity === "error") ? ".error-count" : ""}`, null, number.toLocaleString("en")))));
        this.showDetail();
        const current = this.nav.querySelector("[aria-current]");
        if (current && this.nav.scrollWidth > this.nav.clientWidth) this.nav.scrollLeft = current.offsetLeft - this.nav.offsetLeft - 40;
    }

    buildTab() {
        const lists = {
            packets: { label: "Packets", hint: "name, register, 0x value, REGISTER=value", items: () => this.packetItems(), row: (step) => this.packetRow(step), kinds: true },
            draws: { label: "Draws", hint: "name, argument", items: () => this.drawItems(), row: (draw) => this.drawRow(draw) },
            findings: { label: "Findings", hint: "code, message, register", items: () => this.findingItems(), row: (at) => this.findingRow(at) },
            registers: { label: "Registers", hint: "name or address", items: () => this.registerItems(), row: (at) => this.registerRow(at) },
            memory: { label: "Memory", hint: "address, value, packet", items: () => this.memoryItems(), row: (at) => this.memoryRow(at) },
        };
        this.source = lists[this.tab] ?? null;
        this.main.className = this.source ? "split" : "";
        this.detail.scrollTop = 0;
        if (!this.source) {
            this.list = null;
            fill(this.main, this.detail);
            return;
        }
        this.list = new VirtualList(this.source.label, this.source.row, (at) => this.choose(at));
        this.found = el("span.found");
        let timer = 0;
        const apply = () => {
            clearTimeout(timer);
            if (this.search === input.value) return;
            this.search = input.value;
            this.filter();
            this.remember();
        };
        const input = el("input", { type: "search", placeholder: this.source.hint, value: this.search, "aria-label": `Search ${this.source.label}`, spellcheck: "false", autocomplete: "off", oninput: () => {
            clearTimeout(timer);
            timer = setTimeout(apply, 90);
        }, onkeydown: (event) => {
            if (event.key === "Enter" || event.key === "ArrowDown") { event.preventDefault(); apply(); this.list.element.focus(); if (this.items.length) this.choose(Math.max(0, this.list.selected)); }
        } });
        const kinds = this.source.kinds && el("select", { "aria-label": "Kind of packet", onchange: (event) => { this.kindFilter = event.target.value; this.filter(); this.remember(); } },
            [["", "all packets"], ["work", "draws and dispatches"], ["wait", "waits"], ["event", "events, caches"], ["call", "calls and chains"], ["memory", "write memory"], ["registers", "set registers"], ["findings", "with findings"], ["damage", "damage"],
                ...(this.capture.queueNames.length > 1 ? this.capture.queueNames.map((number) => [`queue:${number}`, `queue ${this.capture.queueName(number)}`]) : [])]
                .map(([value, title]) => el("option", { value, selected: value === this.kindFilter }, title)));
        fill(this.main, el("section.list.no-print", null, el("div.tools", null, input, kinds, this.found), this.list.element), this.detail);
        this.filter();
    }

    get items() { return this.list?.items ?? []; }

    /** Puts the search into the address, so that a link includes it. */
    remember() {
        const query = new URLSearchParams();
        if (this.search) query.set("q", this.search);
        if (this.kindFilter && this.tab === "packets") query.set("kind", this.kindFilter);
        history.replaceState(null, "", `#${this.tab}${this.chosen ? "/" + encodeURIComponent(this.chosen) : ""}${query.size ? "?" + query : ""}`);
    }

    filter() {
        this.list.show(this.source.items());
        fill(this.found, `${this.items.length.toLocaleString("en")} found`);
        this.list.select(this.position());
    }

    packetItems() {
        const { capture } = this, search = new Search(capture, this.search), items = new Uint32Array(capture.steps);
        const kind = { work: WORK, wait: KIND.wait, event: KIND.event, call: KIND.call, memory: KIND.memory, registers: KIND.registers, damage: KIND.damage }[this.kindFilter] ?? 0;
        const queue = this.kindFilter?.startsWith("queue:") ? Number(this.kindFilter.slice(6)) : null;
        const fits = new Int8Array(capture.rows).fill(-1);
        let length = 0;
        for (let step = 0; step < capture.steps; step++) {
            if (kind && !(capture.kind(step) & kind)) continue;
            if (queue !== null && capture.queue(step) !== queue) continue;
            if (this.kindFilter === "findings" && !capture.findingsOfStep.has(step)) continue;
            const row = capture.row(step);
            if (search.terms.length) {
                if (fits[row] < 0) fits[row] = search.fits(row) ? 1 : 0;
                if (!fits[row]) continue;
            }
            items[length++] = step;
        }
        return items.subarray(0, length);
    }

    /** Items whose text contains all words of the search. */
    withText(length, text) {
        const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
        return Array.from({ length }, (_, i) => i).filter((i) => { const line = words.length ? text(i).toLowerCase() : ""; return words.every((word) => line.includes(word)); });
    }

    drawItems() { const { capture } = this; return this.withText(capture.draws.length, (i) => `${i} ${capture.draws[i].name} ${capture.draws[i].queue} ${capture.draws[i].step === null ? "" : capture.text(capture.draws[i].step)} ${capture.draws[i].roll ? "roll" : ""}`); }
    findingItems() { const { capture } = this; return this.withText(capture.findings.length, (i) => { const f = capture.findings[capture.order[i]]; return `${f.severity} ${f.code ?? ""} ${f.message} ${f.register ?? ""} ${f.packet ?? ""}`; }); }
    registerItems() { const { capture } = this; return this.withText(capture.registers.length, (i) => `${capture.registers[i].name} ${hex(capture.registers[i].addr, 5)}`); }
    memoryItems() { const { capture } = this; return this.withText(capture.memory.length, (i) => { const m = capture.memory[i]; return `${m.at} ${m.value} ${capture.name(m.step)} ${m.when}`; }); }

    packetRow(step) {
        const { capture } = this, kind = capture.kind(step), severity = capture.severity(step);
        const mark = severity === "error" ? ".has-error" : severity === "warning" ? ".has-warning" : "";
        return el(`div.row.packets${kind & WORK ? ".work" : ""}${kind & KIND.wait ? ".wait" : ""}${kind & KIND.damage ? ".has-error" : mark}`, null,
            el("span.number", null, step), el("span.place", { title: capture.buffer(step)?.name }, capture.dword(step)), el("span.what", null, capture.name(step)), el("span.more", null, capture.summary(step)));
    }

    drawRow(at) {
        const { capture } = this, draw = capture.draws[at], severity = draw.step === null ? null : capture.severity(draw.step);
        return el(`div.row.draws.work${severity === "error" ? ".has-error" : severity === "warning" ? ".has-warning" : ""}`, null,
            el("span.number", null, at), el("span.what", null, draw.name), el("span.place", null, draw.queue), el("span.more", null, capture.drawBefore(at) !== null && `${draw.changed} changed`, draw.roll && el("span.accent", null, ", roll"), "  ", draw.step !== null && capture.text(draw.step)));
    }

    findingRow(at) {
        const f = this.capture.findings[this.capture.order[at]];
        return el("div.row.findings", null, el(`span.severity.${f.severity}`, null, f.severity), el("span.mono", null, f.code ?? ""), el("span", { title: f.message }, f.message), el("span.number", null, f.count > 1 && `× ${f.count}`));
    }

    registerRow(at) {
        const register = this.capture.registers[at];
        return el("div.row.registers", null, el("span.number.mono", null, hex(register.addr, 5)), el("span", null, register.name), el("span.number", null, this.capture.history(register.addr).steps.length.toLocaleString("en"), " ×"));
    }

    memoryRow(at) {
        const m = this.capture.memory[at];
        return el("div.row.memory", null, el("span.number", null, m.step), el("span.mono", null, m.at), el("span.number", null, `${m.bytes} B`), el("span.more", null, m.value || "…", "  ", this.capture.name(m.step)));
    }

    /** The name of an item of the list in the address; `position` is the inverse. */
    key(item) { return this.tab === "registers" ? this.capture.registers[item].name : String(item); }

    position() {
        if (!this.chosen) return -1;
        const item = this.tab === "registers" ? this.capture.registers.findIndex((register) => register.name === this.chosen) : Number(this.chosen);
        const at = lowerBound(this.items, item);
        return this.items[at] === item ? at : -1;
    }

    choose(at) {
        const query = new URLSearchParams();
        if (this.search) query.set("q", this.search);
        if (this.kindFilter && this.tab === "packets") query.set("kind", this.kindFilter);
        this.go(`${this.tab}/${encodeURIComponent(this.key(this.items[at]))}${query.size ? "?" + query : ""}`, true);
    }

    showDetail() {
        this.list?.select(this.position());
        this.main.classList.toggle("detail-open", Boolean(this.chosen));
        const chosen = this.chosen || (this.items.length && innerWidth > 900 ? this.key(this.items[0]) : "");
        const shown = { overview: () => this.overview(), hang: () => this.hang(), statistics: () => this.statistics() }[this.tab];
        const part = shown ? shown() : chosen === "" ? [el("p.dim", null, this.list?.length ? "Choose a line of the list." : "Nothing found.")] : this.part(chosen);
        const same = this.shownPart === `${this.tab}/${chosen}`;
        this.shownPart = `${this.tab}/${chosen}`;
        fill(this.detail, part ?? el("p.dim", null, "This page has no item of this name."));
        if (!same) this.detail.scrollTop = 0;
        this.timeline.select(this.stepOf(chosen));
    }

    stepOf(chosen) {
        const { capture } = this, at = Number(chosen);
        if (chosen === "") return null;
        return { packets: at, draws: capture.draws[at]?.step, findings: capture.findings[capture.order[at]]?.step, memory: capture.memory[at]?.step }[this.tab] ?? null;
    }

    part(chosen) {
        const { capture } = this, at = Number(chosen);
        switch (this.tab) {
            case "packets": return at < capture.steps ? this.packet(at) : null;
            case "draws": return capture.draws[at] ? this.draw(at) : null;
            case "findings": return capture.order[at] !== undefined ? this.finding(capture.order[at]) : null;
            case "registers": { const register = capture.byName.get(chosen); return register ? this.register(register) : null; }
            case "memory": return capture.memory[at] ? this.packet(capture.memory[at].step) : null;
        }
        return null;
    }
}

/** Decodes a part of the address; returns it unchanged if it cannot be decoded. */
function decoded(text) {
    try { return decodeURIComponent(text); } catch { return text; }
}

const baseName = (path) => path.split(/[\\/]/).pop() || path;
