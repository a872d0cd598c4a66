// Pages of packets: a run of the model, or streams that are decoded and not run. All text from input goes through `el`, which makes text of it.

/** What a packet is; the bits are those of packet_table.rs. */
const KIND = { draw: 1, dispatch: 2, wait: 4, event: 8, call: 16, memory: 32, registers: 64, damage: 128, compute: 256 };
const WORK = KIND.draw | KIND.dispatch;
/** What is known of a register; the numbers are those of run_page.rs. */
const KNOWN = ["written", "from CLEAR_STATE", "loaded from memory", "from reset", "unknown"];
const NOBODY = 0xffffffff;
const SEVERITIES = ["error", "warning", "info"];
const KEYFRAME = 256;

/** The data of the page. A step is a packet that ran, in the order of execution; a row is a packet at its place. Where nothing ran, steps are rows. */
class Capture {
    static async load() {
        const capture = new Capture();
        capture.head = JSON.parse(await blockText("head"));
        const names = ["name", "text", "buffer", "dword", "kind", "size", "words", "writes", "write_addr", "write_value"];
        const run = ["row", "queue", "changes", "change_addr", "change_value", "change_step", "change_known"];
        const columns = await Promise.all([...names, ...run].map(column));
        capture.c = Object.fromEntries([...names, ...run].map((name, i) => [name, columns[i]]));
        capture.texts = JSON.parse(await blockText("texts"));
        capture.prepare();
        return capture;
    }

    prepare() {
        const { head, c } = this;
        this.isRun = head.page === "run";
        this.rows = c.name.length;
        this.steps = this.isRun ? c.row.length : this.rows;
        this.wordStart = starts(c.size);
        this.writeStart = starts(c.writes);
        this.changeStart = starts(c.changes);
        const { registers, layouts, enums, blocks } = head.packets.tables;
        Object.assign(this, { layouts, enums, blocks });
        this.registers = registers.map(([addr, name, block, layout]) => ({ addr, name, block, layout: layout === null ? null : layouts[layout] }));
        this.byAddr = new Map(this.registers.map((register) => [register.addr, register]));
        this.byName = new Map(this.registers.map((register) => [register.name, register]));
        this.draws = head.draws;
        this.drawOfStep = new Map(this.draws.map((draw, i) => [draw.step, i]));
        this.findings = head.findings;
        const weight = (finding) => SEVERITIES.indexOf(finding.severity);
        this.order = this.findings.map((_, i) => i).sort((a, b) => weight(this.findings[a]) - weight(this.findings[b]) || a - b);
        this.findingsOfStep = new Map();
        this.findings.forEach((finding, i) => {
            if (finding.step !== null) push(this.findingsOfStep, finding.step, i);
        });
        this.queueNames = this.isRun ? [...new Set(c.queue)].sort((a, b) => a - b) : [0];
        this.memory = this.memorySteps();
        this.drawsOfQueue = new Map();
        this.draws.forEach((draw, i) => push(this.drawsOfQueue, draw.queue, i));
        this.frames = new Map();
        this.chunks = new Map();
    }

    memorySteps() {
        const ofRow = new Map();
        for (const entry of this.head.packets.memory) push(ofRow, entry[0], entry);
        if (!ofRow.size) return [];
        const list = [];
        for (let step = 0; step < this.steps; step++) {
            const entries = ofRow.get(this.row(step));
            if (entries) for (const [, at, bytes, value, when, may] of entries) list.push({ step, at, bytes, value, when, may });
        }
        return list;
    }

    row(step) { return this.isRun ? this.c.row[step] : step; }
    kind(step) { return this.c.kind[this.row(step)]; }
    name(step) { return this.head.packets.names[this.c.name[this.row(step)]]; }
    text(step) { return this.texts[this.c.text[this.row(step)]]; }
    queue(step) { return this.isRun ? this.c.queue[step] : 0; }
    queueName(number) { return number === 0 ? "gfx" : number === 0xffffffff ? "constant" : number === 1 ? "compute" : `compute${number}`; }
    buffer(step) { return this.head.buffers[this.c.buffer[this.row(step)]]; }
    dword(step) { return this.c.dword[this.row(step)]; }
    words(step) { const row = this.row(step); return this.c.words.subarray(this.wordStart[row], this.wordStart[row + 1]); }

    /** The registers that a packet sets. */
    writes(step) {
        const row = this.row(step), list = [];
        for (let i = this.writeStart[row]; i < this.writeStart[row + 1]; i++) list.push({ addr: this.c.write_addr[i], value: this.c.write_value[i] });
        return list;
    }

    registerName(addr) { return this.byAddr.get(addr)?.name ?? hex(addr, 5); }

    /** The line of a packet: what it sets, or its fields. */
    summary(step) {
        const row = this.row(step);
        const from = this.writeStart[row], to = this.writeStart[row + 1];
        const parts = [];
        for (let i = from; i < Math.min(to, from + 6); i++) parts.push(`${this.registerName(this.c.write_addr[i])}=0x${this.c.write_value[i].toString(16)}`);
        if (to - from > 6) parts.push(`and ${to - from - 6} more`);
        const text = this.text(step);
        return text ? [text, ...parts].join("  ") : parts.join("  ");
    }

    /** What the fields of a packet mean; unpacked when somebody asks. */
    async details(step) {
        const row = this.row(step), size = this.head.packets.details, chunk = Math.floor(row / size);
        if (!this.chunks.has(chunk)) {
            if (this.chunks.size > 32) this.chunks.delete(this.chunks.keys().next().value);
            this.chunks.set(chunk, blockText(`details${chunk}`).then((text) => (text ?? "").split("\n")));
        }
        const line = (await this.chunks.get(chunk))[row - chunk * size];
        return line ? JSON.parse(line) : {};
    }

    /** The registers that a draw runs with: address to value, what is known, and the step that wrote it. */
    state(draw) {
        const list = this.drawsOfQueue.get(this.draws[draw].queue);
        const position = lowerBound(list, draw);
        let from = position - (position % KEYFRAME);
        const frame = (at) => `${this.draws[draw].queue}/${at}`;
        while (from > 0 && !this.frames.has(frame(from))) from -= KEYFRAME;
        const state = new Map(from > 0 ? this.frames.get(frame(from)) : []);
        for (let at = from; at <= position; at++) {
            if (at > 0 && at % KEYFRAME === 0 && !this.frames.has(frame(at))) this.frames.set(frame(at), new Map(state));
            const nth = list[at];
            for (let i = this.changeStart[nth]; i < this.changeStart[nth + 1]; i++) {
                state.set(this.c.change_addr[i], { value: this.c.change_value[i], known: this.c.change_known[i], step: this.c.change_step[i] });
            }
        }
        return state;
    }

    /** The draw before, on the same queue. */
    drawBefore(draw) {
        const list = this.drawsOfQueue.get(this.draws[draw].queue);
        return list[lowerBound(list, draw) - 1] ?? null;
    }

    /** Who set each register: for each address the writes in the order of steps. */
    history(addr) {
        if (!this.writers) {
            const total = new Uint32Array(0x10001);
            const each = (visit) => {
                for (let step = 0; step < this.steps; step++) {
                    const row = this.row(step);
                    for (let i = this.writeStart[row]; i < this.writeStart[row + 1]; i++) visit(step, i, (this.c.write_addr[i] >>> 2) & 0xffff);
                }
            };
            each((_, __, slot) => total[slot + 1]++);
            for (let i = 0; i < 0x10000; i++) total[i + 1] += total[i];
            const next = total.slice(), steps = new Uint32Array(total[0x10000]), values = new Uint32Array(total[0x10000]);
            each((step, i, slot) => {
                steps[next[slot]] = step;
                values[next[slot]++] = this.c.write_value[i];
            });
            this.writers = { total, steps, values };
        }
        const { total, steps, values } = this.writers, slot = (addr >>> 2) & 0xffff;
        return { steps: steps.subarray(total[slot], total[slot + 1]), values: values.subarray(total[slot], total[slot + 1]) };
    }

    /** What the packets of a queue set a register to before a step. */
    setBefore(addr, step) {
        const { steps, values } = this.history(addr);
        for (let i = lowerBound(steps, step) - 1; i >= 0; i--) if (this.queue(steps[i]) === this.queue(step)) return { step: steps[i], value: values[i] };
        return null;
    }

    severity(step) {
        const found = this.findingsOfStep.get(step);
        return found ? SEVERITIES[Math.min(...found.map((i) => SEVERITIES.indexOf(this.findings[i].severity)))] : null;
    }
}

/** Adds to the list under a key. */
function push(map, key, value) {
    const list = map.get(key);
    if (list) list.push(value);
    else map.set(key, [value]);
}

/** Where each item begins, and where the last one ends. */
function starts(sizes) {
    const list = new Uint32Array(sizes.length + 1);
    for (let i = 0; i < sizes.length; i++) list[i + 1] = list[i] + sizes[i];
    return list;
}

/** The first position that does not hold less. */
function lowerBound(list, value) {
    let low = 0, high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] < value) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** A search: every word must fit. `0x…` is a value, an address of a register or a word; `NAME=VALUE` a register with its value; else a part of a name or text. */
class Search {
    constructor(capture, text) {
        this.capture = capture;
        this.terms = text.trim().split(/\s+/).filter(Boolean).map((term) => this.term(term.toLowerCase()));
    }

    term(term) {
        const { capture } = this;
        const [left, right] = term.split("=");
        const registers = (part) => new Set(capture.registers.filter((register) => register.name.toLowerCase().includes(part)).map((register) => register.addr));
        if (right) {
            const value = Number(right);
            return { registers: registers(left), value: Number.isInteger(value) ? value >>> 0 : null, text: this.marks(capture.texts, term) };
        }
        const number = /^0x[0-9a-f]+$/.test(term) ? Number(term) : null;
        return {
            names: this.marks(capture.head.packets.names, term),
            texts: this.marks(capture.texts, term),
            registers: registers(term),
            number: number !== null && number <= 0xffffffff ? number : null,
        };
    }

    marks(list, term) { return Uint8Array.from(list, (text) => (text.toLowerCase().includes(term) ? 1 : 0)); }

    /** Whether a row fits. */
    fits(row) { return this.terms.every((term) => this.fitsTerm(term, row)); }

    fitsTerm(term, row) {
        const { c, writeStart, wordStart } = this.capture;
        if (term.text) {
            if (term.text[c.text[row]]) return true;
            for (let i = writeStart[row]; i < writeStart[row + 1]; i++) if (c.write_value[i] === term.value && term.registers.has(c.write_addr[i])) return true;
            return false;
        }
        if (term.names[c.name[row]] || term.texts[c.text[row]]) return true;
        for (let i = writeStart[row]; i < writeStart[row + 1]; i++) {
            if (term.registers.has(c.write_addr[i]) || (term.number !== null && (c.write_value[i] === term.number || c.write_addr[i] === term.number))) return true;
        }
        if (term.number !== null) for (let i = wordStart[row]; i < wordStart[row + 1]; i++) if (c.words[i] === term.number) return true;
        return false;
    }
}

/** A list of which only what is seen exists. */
class VirtualList {
    static HEIGHT = 24;
    /** Browsers cannot lay out arbitrarily high boxes. */
    static MOST = 8_000_000;

    constructor(label, drawRow, choose) {
        Object.assign(this, { drawRow, choose, items: [], selected: -1 });
        this.window = el("div.window");
        this.space = el("div.space", null, this.window);
        this.element = el("div.rows", { role: "listbox", tabindex: 0, "aria-label": label, onscroll: () => this.draw(), onkeydown: (event) => this.key(event) }, this.space);
        this.element.addEventListener("click", (event) => {
            const row = event.target.closest(".row");
            if (row) this.choose(Number(row.dataset.at));
        });
        new ResizeObserver(() => this.draw()).observe(this.element);
    }

    key(event) {
        const page = Math.max(1, Math.floor(this.element.clientHeight / VirtualList.HEIGHT) - 1);
        const step = { PageDown: page, PageUp: -page, Home: -this.length, End: this.length }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        this.move(step);
    }

    move(step) {
        if (!this.length) return;
        this.choose(Math.max(0, Math.min(this.length - 1, (this.selected < 0 ? (step > 0 ? -1 : 0) : this.selected) + step)));
    }

    get length() { return this.items.length; }

    show(items) {
        this.items = items;
        this.selected = -1;
        this.space.style.height = `${Math.min(this.length * VirtualList.HEIGHT, VirtualList.MOST)}px`;
        this.draw();
    }

    /** Scrolled pixels of the list as it would be without the limit. */
    get offset() {
        const seen = this.element.clientHeight, full = this.length * VirtualList.HEIGHT, shown = Math.min(full, VirtualList.MOST);
        return shown <= seen ? 0 : (this.element.scrollTop / (shown - seen)) * (full - seen);
    }

    set offset(offset) {
        const seen = this.element.clientHeight, full = this.length * VirtualList.HEIGHT, shown = Math.min(full, VirtualList.MOST);
        this.element.scrollTop = full <= seen ? 0 : (offset / (full - seen)) * (shown - seen);
    }

    select(at) {
        this.selected = at;
        if (at >= 0) {
            // A list that has just been made has no height yet.
            const top = at * VirtualList.HEIGHT, seen = this.element.clientHeight;
            if (top < this.offset || top + VirtualList.HEIGHT > this.offset + seen) this.offset = Math.max(0, top - seen / 3);
        }
        this.draw();
    }

    draw() {
        const offset = this.offset, seen = this.element.clientHeight || 400;
        const first = Math.max(0, Math.floor(offset / VirtualList.HEIGHT) - 4), last = Math.min(this.length, Math.ceil((offset + seen) / VirtualList.HEIGHT) + 4);
        const rows = [];
        for (let at = first; at < last; at++) {
            const row = this.drawRow(this.items[at]);
            row.dataset.at = at;
            row.setAttribute("role", "option");
            row.setAttribute("aria-selected", at === this.selected);
            row.setAttribute("aria-posinset", at + 1);
            row.setAttribute("aria-setsize", this.length);
            rows.push(row);
        }
        this.window.style.transform = `translateY(${this.element.scrollTop - offset + first * VirtualList.HEIGHT}px)`;
        this.window.replaceChildren(...rows);
    }
}

/** The queues over the steps: work, what waits and synchronizes, contexts, findings. */
class Timeline {
    static LANES = [
        { name: "draws", colour: "accent", height: 12 },
        { name: "waits", colour: "warning", height: 9 },
        { name: "events", colour: "dim", height: 9 },
        { name: "rolls", colour: "text", height: 9 },
    ];
    static LEFT = 112;
    static TOP = 18;

    constructor(capture, go) {
        Object.assign(this, { capture, go, from: 0, to: Math.max(1, capture.steps), selected: null });
        this.queues = capture.queueNames.map((number) => ({ number, name: capture.isRun ? capture.queueName(number) : "packets", lanes: [[], [], [], []], findings: [] }));
        const of = new Map(this.queues.map((queue) => [queue.number, queue]));
        for (let step = 0; step < capture.steps; step++) {
            const kind = capture.kind(step), { lanes } = of.get(capture.queue(step));
            if (kind & WORK) lanes[0].push(step);
            if (kind & KIND.wait) lanes[1].push(step);
            if (kind & KIND.event) lanes[2].push(step);
        }
        for (const draw of capture.draws) if (draw.roll && draw.step !== null) of.get(capture.queue(draw.step)).lanes[3].push(draw.step);
        for (const step of capture.findingsOfStep.keys()) if (capture.severity(step) !== "info") of.get(capture.queue(step)).findings.push(step);
        this.queues.forEach((queue) => queue.findings.sort((a, b) => a - b));
        this.canvas = el("canvas", { role: "img", "aria-label": "Timeline of the queues; the lists hold the same" });
        this.tip = el("div.tip", { hidden: true });
        this.element = el("div.timeline.no-print", null, this.canvas, this.tip);
        this.listen();
        new ResizeObserver(() => this.draw()).observe(this.element);
        document.addEventListener("theme", () => this.draw());
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    }

    get laneHeight() { return Timeline.LANES.reduce((sum, lane) => sum + lane.height + 2, 0) + 12; }

    x(step) { return Timeline.LEFT + ((step + 0.5 - this.from) / (this.to - this.from)) * (this.width - Timeline.LEFT - 10); }
    stepAt(x) { return Math.max(0, Math.min(this.capture.steps - 1, Math.floor(this.from + ((x - Timeline.LEFT) / (this.width - Timeline.LEFT - 10)) * (this.to - this.from)))); }

    listen() {
        let drag = null;
        this.canvas.addEventListener("wheel", (event) => {
            if (event.shiftKey) return;
            event.preventDefault();
            this.zoom(event.deltaY > 0 ? 1.25 : 0.8, event.offsetX);
        }, { passive: false });
        this.canvas.addEventListener("pointerdown", (event) => (drag = { x: event.offsetX, from: this.from, to: this.to, moved: false }));
        this.canvas.addEventListener("pointermove", (event) => {
            if (!drag) return this.point(event);
            const steps = ((drag.x - event.offsetX) / (this.width - Timeline.LEFT)) * (drag.to - drag.from);
            if (Math.abs(event.offsetX - drag.x) > 4) drag.moved = true;
            if (drag.moved) this.show(drag.from + steps, drag.to + steps);
        });
        this.canvas.addEventListener("pointerup", (event) => {
            if (drag && !drag.moved) this.click(event);
            drag = null;
        });
        this.canvas.addEventListener("pointerleave", () => { drag = null; this.tip.hidden = true; });
        this.canvas.addEventListener("dblclick", () => this.show(0, this.capture.steps));
    }

    zoom(factor, x = (this.width + Timeline.LEFT) / 2) {
        const at = this.from + ((x - Timeline.LEFT) / (this.width - Timeline.LEFT - 10)) * (this.to - this.from);
        this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
    }

    show(from, to) {
        const steps = Math.max(1, this.capture.steps), length = Math.min(steps, Math.max(Math.min(8, steps), to - from));
        this.from = Math.max(0, Math.min(steps - length, from));
        this.to = this.from + length;
        this.draw();
    }

    /** What is shown nearest to a place: a step, or null. */
    near(event) {
        const queue = this.queues[Math.floor((event.offsetY - Timeline.TOP) / this.laneHeight)];
        if (!queue || event.offsetX < Timeline.LEFT - 4) return null;
        const step = this.stepAt(event.offsetX);
        let best = null, distance = 7;
        for (const list of [queue.findings, ...queue.lanes.slice(0, 3)]) {
            const at = lowerBound(list, step);
            for (const candidate of [list[at - 1], list[at]]) {
                if (candidate === undefined) continue;
                const away = Math.abs(this.x(candidate) - event.offsetX);
                if (away < distance) [best, distance] = [candidate, away];
            }
        }
        return best ?? (this.capture.queue(step) === queue.number ? step : null);
    }

    point(event) {
        const step = this.near(event), { capture } = this;
        this.tip.hidden = step === null;
        if (step === null) return;
        const draw = capture.drawOfStep.get(step);
        fill(this.tip, draw !== undefined && `draw ${draw}, `, `#${step} ${capture.name(step)} `, el("span.dim", null, capture.summary(step).slice(0, 80)));
        this.tip.style.left = `${Math.max(4, Math.min(event.offsetX + 12, this.width - this.tip.offsetWidth - 8))}px`;
    }

    click(event) {
        const step = this.near(event);
        if (step === null) return;
        const draw = this.capture.drawOfStep.get(step);
        this.go(draw !== undefined ? `draws/${draw}` : `packets/${step}`);
    }

    select(step) {
        this.selected = step;
        if (step !== null && (step < this.from || step >= this.to)) {
            const half = (this.to - this.from) / 2;
            return this.show(step - half, step + half);
        }
        this.draw();
    }

    colour(name) {
        this.probe ??= this.element.appendChild(el("span", { hidden: true }));
        this.probe.style.color = `var(--${name})`;
        return getComputedStyle(this.probe).color;
    }

    /** Once for each frame at most. */
    draw() {
        this.due ??= requestAnimationFrame(() => { this.due = null; this.drawNow(); });
    }

    drawNow() {
        this.width = this.element.clientWidth;
        if (!this.width) return;
        const height = Timeline.TOP + this.queues.length * this.laneHeight, scale = devicePixelRatio || 1;
        this.canvas.width = this.width * scale;
        this.canvas.height = height * scale;
        this.canvas.style.height = `${height}px`;
        const g = this.canvas.getContext("2d");
        g.scale(scale, scale);
        g.font = "11px system-ui, sans-serif";
        this.axis(g, height);
        this.queues.forEach((queue, i) => this.drawQueue(g, queue, Timeline.TOP + i * this.laneHeight));
        if (this.selected !== null) {
            g.fillStyle = this.colour("text");
            g.fillRect(Math.round(this.x(this.selected)) - 0.5, 14, 1, height - 14);
        }
    }

    axis(g, height) {
        const span = this.to - this.from, wanted = span / Math.max(2, (this.width - Timeline.LEFT) / 110);
        const power = 10 ** Math.floor(Math.log10(Math.max(1, wanted)));
        const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= wanted));
        for (let at = Math.ceil(this.from / step) * step; at < this.to; at += step) {
            const x = Math.round(this.x(at));
            g.fillStyle = this.colour("line");
            g.fillRect(x, 14, 1, height);
            g.fillStyle = this.colour("dim");
            if (x > Timeline.LEFT - 2 && x < this.width - 30) g.fillText(`#${at.toLocaleString("en")}`, x + 3, 11);
        }
    }

    drawQueue(g, queue, top) {
        g.fillStyle = this.colour("text");
        g.textAlign = "left";
        g.font = "600 11px system-ui, sans-serif";
        g.fillText(queue.name, 14, top + 18);
        g.font = "10px system-ui, sans-serif";
        let y = top + 8;
        queue.lanes.forEach((list, lane) => {
            const { name, colour, height } = Timeline.LANES[lane];
            g.textAlign = "right";
            g.fillStyle = this.colour("dim");
            g.fillText(name, Timeline.LEFT - 8, y + height / 2 + 3);
            g.fillStyle = this.colour(colour);
            this.ticks(list, (x, width) => g.fillRect(x, y, width, height));
            y += height + 2;
        });
        g.textAlign = "left";
        for (const severity of ["warning", "error"]) {
            g.fillStyle = this.colour(severity);
            this.ticks(queue.findings.filter((step) => this.capture.severity(step) === severity), (x) => {
                g.beginPath();
                g.moveTo(x - 3, top);
                g.lineTo(x + 5, top);
                g.lineTo(x + 1, top + 6);
                g.fill();
            });
        }
    }

    /** Each pixel once. */
    ticks(list, draw) {
        const width = Math.max(2, Math.min(8, (this.x(1) - this.x(0)) * 0.7));
        let last = -1;
        for (let i = lowerBound(list, Math.floor(this.from)); i < list.length && list[i] < this.to; i++) {
            const x = Math.round(this.x(list[i]) - width / 2);
            if (x !== last) draw(x, width);
            last = x;
        }
    }
}

/** The page: what is looked at stands in the address, `#packets/12?q=…`. */
class App {
    constructor(capture) {
        this.capture = capture;
        this.tabs = [
            ["overview", "Overview"],
            capture.head.hang && ["hang", "Hang"],
            capture.findings.length && ["findings", capture.isRun ? "Findings" : "Damage", capture.findings.length],
            ["packets", "Packets", capture.steps],
            capture.draws.length && ["draws", "Draws", capture.draws.length],
            capture.registers.length && ["registers", "Registers", capture.registers.length],
            capture.memory.length && ["memory", "Memory", capture.memory.length],
            ["statistics", "Statistics"],
        ].filter(Boolean);
        this.help = keys(this.keys());
        this.build();
        addEventListener("hashchange", () => this.show());
        let narrow = this.narrow;
        new ResizeObserver(() => {
            if (narrow !== this.narrow) { narrow = this.narrow; this.showDetail(); }
        }).observe(this.detail);
        this.show();
    }

    get narrow() { return this.detail.clientWidth < 640; }

    keys() {
        const move = (step) => () => (this.list ? this.list.move(step) : false);
        return [
            [["/"], "search", () => this.focusSearch()],
            [["j", "ArrowDown"], "next line of the list", move(1)],
            [["k", "ArrowUp"], "line before", move(-1)],
            [["]"], "next draw", () => this.goDraw(1)],
            [["["], "draw before", () => this.goDraw(-1)],
            [["1", "2", "3", "4", "5", "6", "7", "8"], "the parts of the page, from the left", (event) => { const tab = this.tabs[Number(event.key) - 1]; return tab ? this.go(tab[0]) : false; }],
            [["+", "-", "0"], "timeline: closer, wider, all of it (also the wheel, and drag)", (event) => {
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
        this.timeline = new Timeline(capture, (to) => this.go(to));
        this.main = el("main");
        this.detail = el("section.detail", { "aria-live": "polite", "aria-label": "What is chosen" });
        fill(document.getElementById("app"),
            el("header", null,
                el("div.name", null, el("h1", { title: names.join("\n") }, names.length ? baseName(names[0]) : "no stream", names.length > 1 && ` and ${names.length - 1} more`), el("span.pill", null, head.chip ?? head.gfx), head.chip && el("span.pill", null, head.gfx)),
                this.nav,
                el("span.buttons.no-print", null, theme.button(), el("button", { onclick: () => this.help(), title: "Keys (?)", "aria-label": "Keys" }, "?"))),
            capture.steps ? this.timeline.element : el("div"),
            this.main);
    }

    go(to, replace) {
        if (replace) { history.replaceState(null, "", `#${to}`); this.show(); }
        else location.hash = to;
    }

    /** Parts without a list, and lists behind what is chosen, give way to the list of packets. */
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
        const known = this.tabs.some(([name]) => name === tab) ? tab : this.capture.head.hang ? "hang" : "overview";
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

    /** The search stands in the address, so that it can be passed on. */
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

    /** Items whose text has all words of the search. */
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

    /** What an item of the list is called in the address, and the other way round. */
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
        const part = shown ? shown() : chosen === "" ? [el("p.dim", null, this.list?.length ? "Choose a line of the list." : "Nothing is found.")] : this.part(chosen);
        const same = this.shownPart === `${this.tab}/${chosen}`;
        this.shownPart = `${this.tab}/${chosen}`;
        fill(this.detail, part ?? el("p.dim", null, "There is no such thing in this page."));
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
            case "findings": return capture.order[at] !== undefined ? this.finding(capture.findings[capture.order[at]]) : null;
            case "registers": { const register = capture.byName.get(chosen); return register ? this.register(register) : null; }
            case "memory": return capture.memory[at] ? this.packet(capture.memory[at].step) : null;
        }
        return null;
    }

    back() { return el("a.back.no-print", { href: `#${this.tab}` }, "← list"); }
    packetLink(step, text) { return step === null || step === NOBODY ? el("span.dim", null, "—") : el("a", { href: `#packets/${step}` }, text ?? `#${step}`); }
    drawLink(draw, text) { return el("a", { href: `#draws/${draw}` }, text ?? `draw ${draw}`); }
    registerLink(name) { return this.capture.byName.has(name) ? el("a", { href: `#registers/${encodeURIComponent(name)}` }, name) : name; }

    place(step) {
        const { capture } = this, buffer = capture.buffer(step), dword = capture.dword(step);
        const addr = buffer?.addr ? ` at 0x${(BigInt(buffer.addr) + 4n * BigInt(dword)).toString(16)}` : "";
        return el("span.where.wrap", null, buffer?.name ?? "?", ` dword ${dword} (byte 0x${(4 * dword).toString(16)})`, addr, capture.isRun && capture.queueNames.length > 1 && `, queue ${capture.queueName(capture.queue(step))}`);
    }

    findingsOf(step) {
        const { capture } = this, found = capture.findingsOfStep.get(step);
        if (!found) return null;
        return el("div.first", null, found.map((i) => this.findingLine(i)));
    }

    findingLine(i, more = 0) {
        const f = this.capture.findings[i];
        return el(`a.${f.severity}`, { href: `#findings/${this.capture.order.indexOf(i)}` }, el(`span.severity.${f.severity}`, null, f.severity), el("span.mono", null, f.code ?? ""), el("span.text.wrap", null, f.message, f.count > 1 && el("span.dim", null, ` (${f.count} times)`), more > 0 && el("span.dim", null, ` and ${count(more, "more finding")} of ${f.code}`)));
    }

    /** A packet: fields, registers, words. */
    packet(step) {
        const { capture } = this, draw = capture.drawOfStep.get(step), writes = capture.writes(step), words = capture.words(step);
        const fields = el("div.card", null, el("h3", null, "Fields"), el("p.dim", null, "…"));
        if (words.length && !(capture.kind(step) & KIND.damage)) capture.details(step).then((details) => this.fields(fields, details, writes.length > 0));
        else fields.hidden = true;
        return [
            el("div.head", null, this.back(), el("h2", null, capture.name(step)), el("span.dim", null, `#${step}`),
                el("span.step.no-print", null, step > 0 && el("a", { href: `#packets/${step - 1}`, title: "The packet before" }, "◂ before"), " ", step + 1 < capture.steps && el("a", { href: `#packets/${step + 1}`, title: "The next packet" }, "next ▸"))),
            this.place(step),
            this.findingsOf(step),
            draw !== undefined && el("p", null, "This is ", this.drawLink(draw), ": its state, register by register."),
            capture.kind(step) & KIND.damage ? el("p.error-text", null, capture.text(step)) : null,
            fields,
            writes.length > 0 && el("div.card", null, el("h3", null, `Sets ${count(writes.length, "register")}`), this.writesTable(step, writes)),
            this.memoryOf(step),
            el("div.card", null, el("h3", null, count(words.length, "dword")), this.wordTable(words)),
        ];
    }

    fields(card, details, sets) {
        const layouts = details.layouts ?? {}, registers = details.registers ?? {}, flags = new Set(details.flags ?? []);
        const entries = Object.entries(details.fields ?? {});
        const show = (value) => (Array.isArray(value) ? value.map(show).join(", ") : typeof value === "number" && value > 9 ? `${value} = 0x${value.toString(16)}` : String(value));
        const rows = entries.map(([name, value]) => {
            const text = show(value), long = text.length > 400;
            const register = registers[name];
            return el(`tr${value === 0 ? ".zero" : ""}`, null, el("td", null, name), el("td.mono.wrap", null, long ? text.slice(0, 400) + " …" : text, flags.has(name) && " (set)", register && [" → ", [register].flat().slice(0, 40).map((r, i) => [i > 0 && ", ", this.registerLink(r)])],
                layouts[name] && el("div.dim", null, Object.entries(layouts[name]).filter(([, v]) => v !== 0).map(([k, v]) => `${k}=${v}`).join("  "))));
        });
        for (const { dword, bits } of details.reserved ?? []) rows.push(el("tr", null, el("td", null, `no field, dword ${dword}`), el("td.mono.error-text", null, bits)));
        // Of a packet that sets registers the offset is told by their names.
        if (!rows.length || (sets && entries.every(([name, value]) => value === 0 || name === "reg_offset") && !(details.reserved ?? []).length)) { card.hidden = true; return; }
        fill(card, el("h3", null, "Fields"), sets && rows.length <= 3 ? el("table.field-table", null, rows) : el("div.scroll", null, el("table.field-table", null, rows)));
    }

    writesTable(step, writes) {
        const { capture } = this, open = writes.length <= 4;
        return this.registersTable(writes.map(({ addr, value }) => {
            const before = capture.setBefore(addr, step);
            return { addr, value, known: 0, before: before?.value ?? null, step: before?.step ?? null };
        }), { open, by: "set before" });
    }

    memoryOf(step) {
        const entries = this.capture.memory.filter((entry) => entry.step === step);
        if (!entries.length) return null;
        return el("div.card", null, el("h3", null, "Writes memory"), el("div.scroll", null, el("table", null, el("tr", null, ["address", "bytes", "what", "when"].map((name) => el("th", null, name))),
            entries.map((m) => el("tr", null, el("td.mono", null, m.at), el("td", null, m.bytes), el("td.mono.wrap", null, m.value || "not in the packet"), el("td", null, m.when, m.may && ", perhaps"))))));
    }

    wordTable(words) {
        const most = 512;
        return el("div.words", null, Array.from(words.subarray(0, most), (word, i) => [i % 4 === 0 && el("span.dim", { style: "grid-column:1" }, i), el("span", null, hex(word).slice(2))]), words.length > most && el("span.dim", { style: "grid-column:1/-1" }, `and ${words.length - most} more`));
    }

    /** Registers in a table; a click opens the bits. An entry: addr, value, known, before (a word to compare with, or null), step. */
    registersTable(entries, { open = false, by = "by", said = "fields that are not 0" } = {}) {
        const { capture } = this;
        const rows = entries.map((entry) => {
            const register = capture.byAddr.get(entry.addr), differs = entry.before !== null && entry.before !== entry.value;
            const row = el(`tr.register${entry.changed ?? differs ? ".changed" : ""}`, { tabindex: 0, "aria-expanded": "false", "data-register": register?.name ?? hex(entry.addr, 5) },
                el("td.name", null, register?.name ?? hex(entry.addr, 5)), el("td.value", null, entry.known === 2 || entry.known === 4 ? KNOWN[entry.known] : hex(entry.value)),
                el("td.said", null, entry.known === 0 || entry.known === 1 || entry.known === 3 ? this.said(register, entry.value, differs ? entry.before : null) : ""),
                el("td.by", null, this.packetLink(entry.step)));
            const toggle = (event) => {
                if (event.target.closest("a")) return;
                const shown = row.nextElementSibling?.classList.contains("opened");
                if (shown) row.nextElementSibling.remove();
                else row.after(el("tr.opened", null, el("td", { colspan: 4 }, this.bits(register, entry))));
                row.classList.toggle("open", !shown);
                row.setAttribute("aria-expanded", !shown);
            };
            row.addEventListener("click", toggle);
            row.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(event); } });
            if (open) queueMicrotask(() => row.isConnected && toggle({ target: row }));
            return row;
        });
        return el("table.registers-table", null, el("thead", null, el("tr", null, el("th.name", null, "register"), el("th.value", null, "value"), el("th.said", null, said), el("th.by", null, by))), el("tbody", null, rows));
    }

    /** The fields in a line: those that differ with both values, else those that are not 0. */
    said(register, value, before) {
        if (!register?.layout) return "";
        const name = (field, word) => { const bits = bitsOf(word, field[1], field[2]); return valueName(field, bits, this.capture.enums) ?? number(bits); };
        const fields = register.layout.fields.filter((field) => (before === null ? bitsOf(value, field[1], field[2]) : bitsOf(value, field[1], field[2]) !== bitsOf(before, field[1], field[2])));
        if (fields.length === 1 && fields[0][1] === 0 && fields[0][2] === 31 && before === null) return "";
        return fields.map((field) => (before === null ? `${field[0]}=${name(field, value)}` : `${field[0]} ${name(field, before)} → ${name(field, value)}`)).join("  ");
    }

    /** A register bit by bit. */
    bits(register, { value, known, before }) {
        const { enums } = this.capture;
        if (known === 2 || known === 4) return el("p.dim", null, "The model does not know what it holds.");
        if (!register?.layout) return el("p.dim", null, "The generation has no register at this address.");
        const { layout } = register, old = before ?? null;
        const row = (field) => {
            const bits = bitsOf(value, field[1], field[2]), was = old === null ? bits : bitsOf(old, field[1], field[2]), name = valueName(field, bits, enums);
            return el(`tr${bits !== was ? ".changed" : ""}${bits || bits !== was ? "" : ".zero"}`, null, el("td.number", null, range(field[1], field[2])), el("td", null, field[0]), el("td.now.mono", null, number(bits), name && ` ${name}`), el("td.mono.dim", null, bits !== was && `was ${valueName(field, was, enums) ?? number(was)}`), el("td.doc", null, field[4], field[5] && ` (${field[5]})`));
        };
        return [
            el("p.dim", null, [el("a", { href: `#registers/${encodeURIComponent(register.name)}` }, "all writes"), el("span.mono", null, hex(register.addr, 5)), layout.space, known === 1 && KNOWN[1], old !== null && old !== value && el("span", null, "was ", el("span.mono", null, hex(old)))].filter(Boolean).map((part, i) => [i > 0 && " · ", part])),
            layout.doc && el("p.dim.wrap", null, layout.doc),
            bitDiagram(layout.fields, value, old, enums, this.narrow),
            el("div.scroll", null, el("table.field-table", null, [...layout.fields].reverse().map(row))),
        ];
    }

    /** A draw: what it is, and the registers that it runs with. */
    draw(at) {
        const { capture } = this, draw = capture.draws[at];
        const before = capture.drawBefore(at);
        const other = this.compareWith !== null && capture.draws[Number(this.compareWith)] ? Number(this.compareWith) : before;
        const state = capture.state(at), than = other === null ? null : capture.state(other);
        const differs = (addr) => { const a = state.get(addr), b = than?.get(addr); return than !== null && (a?.value !== b?.value || a?.known !== b?.known); };
        const addrs = [...new Set([...state.keys(), ...(than?.keys() ?? [])])].sort((a, b) => a - b);
        const changed = addrs.filter(differs).length;
        const card = el("div.card", null, el("h3", null, "Arguments"), el("p.dim", null, "…"));
        if (draw.step !== null) capture.details(draw.step).then((details) => this.fields(card, details, false));
        const entry = (addr) => {
            const held = state.get(addr) ?? { value: 0, known: 4, step: NOBODY }, was = than?.get(addr);
            return { addr, ...held, before: was && (was.known === 0 || was.known === 1) ? was.value : null };
        };
        const blocks = el("div.blocks");
        this.onlyChanged ??= false;
        this.stateSearch ??= "";
        const show = () => {
            const words = this.stateSearch.toLowerCase();
            fill(blocks, capture.blocks.map((name, block) => {
                const mine = addrs.filter((addr) => capture.byAddr.get(addr)?.block === block && (!this.onlyChanged || differs(addr)) && capture.registerName(addr).toLowerCase().includes(words));
                if (!mine.length) return null;
                const entries = mine.map((addr) => ({ ...entry(addr), changed: differs(addr) }));
                const count = mine.filter(differs).length;
                return el("details.block", { open: true }, el("summary", null, name, el("span.dim", null, mine.length), count > 0 && !this.onlyChanged && el("span.accent", null, `  ${count} differ`)), this.registersTable(entries));
            }));
            if (!blocks.childElementCount) fill(blocks, el("p.dim", null, "No register fits."));
        };
        const only = el("button", { "aria-pressed": this.onlyChanged, onclick: () => { this.onlyChanged = !this.onlyChanged; only.setAttribute("aria-pressed", this.onlyChanged); show(); } }, "only differences");
        const search = el("input", { type: "search", placeholder: "register", value: this.stateSearch, size: 14, "aria-label": "Search registers", oninput: () => { this.stateSearch = search.value; show(); } });
        const compare = el("input", { type: "number", min: 0, max: capture.draws.length - 1, value: other ?? "", style: "width:9ch", "aria-label": "Compare with draw", onchange: () => this.go(`draws/${at}?with=${compare.value}`, true) });
        show();
        const news = addrs.filter(differs);
        return [
            el("div.head", null, this.back(), el("h2", null, `${draw.dispatch ? "Dispatch" : "Draw"} ${at}`), el("span", null, draw.name), draw.step !== null && this.packetLink(draw.step),
                el("span.step.no-print", null, at > 0 && el("a", { href: `#draws/${at - 1}`, title: "The draw before ([)" }, "◂ before"), " ", at + 1 < capture.draws.length && el("a", { href: `#draws/${at + 1}`, title: "The next draw (])" }, "next ▸"))),
            draw.step !== null && this.place(draw.step),
            draw.step !== null && this.findingsOf(draw.step),
            this.findingsOfDraw(at),
            draw.predicated && el("p", null, "A predicate decides whether it runs; the model runs it."),
            news.length > 0 && news.length <= 40 && el("div.card", null, el("h3", null, "Differs from ", this.drawLink(other)), this.registersTable(news.map(entry), { said: "fields that differ" })),
            el("div.columns", null, card, this.roll(draw)),
            el("div.head", null, el("h2", null, "State"), el("span.dim", null, count(state.size, "register"), other !== null && [changed === 1 ? ", 1 differs from " : `, ${changed} differ from `, this.drawLink(other)]),
                el("span.step.no-print", { style: "flex-wrap:wrap" }, search, only, el("label", null, "compare with draw ", compare))),
            blocks,
        ];
    }

    findingsOfDraw(at) {
        const { capture } = this, step = capture.draws[at].step;
        const found = capture.findings.map((f, i) => [f, i]).filter(([f]) => f.draw !== undefined && f.step !== step && f.draw <= at && (f.last_draw ?? f.draw) >= at && (f.draw === at || f.last_draw === at));
        return found.length ? el("div.first", null, found.map(([, i]) => this.findingLine(i))) : null;
    }

    roll(draw) {
        if (!draw.roll) return el("div.card", null, el("h3", null, "Context"), el("p", null, draw.dispatch ? "A dispatch uses no context." : "It goes on with the context of the draw before."));
        const { source, changed, redundant, live, stalls } = draw.roll, names = (list) => list.map((addr, i) => [i > 0 && ", ", this.registerLink(this.capture.registerName(Number(addr)))]);
        return el("div.card", null, el("h3", null, "Context"), el("dl.facts", null,
            el("dt", null, "new, by"), el("dd", null, source), el("dt", null, "in use"), el("dd", null, `about ${live} of 8`, stalls && el("span.error-text", null, ", none was free: the front end waits")),
            el("dt", null, "changed"), el("dd", null, changed.length ? [changed.length, ": ", names(changed)] : "none: the new context holds what the old one held"),
            el("dt", null, "redundant"), el("dd", null, redundant.length ? el("details", null, el("summary", null, count(redundant.length, "register")), names(redundant)) : "none")));
    }

    finding(f) {
        const rule = this.capture.head.rules[f.code], { capture } = this;
        const source = (f.text ?? "").split("\n").slice(1).filter((line) => !/^\s+(-->|\S\s+(note|help|source|register|field)\b)/.test(line)).join("\n").trimEnd();
        const many = f.count > 1 && el("span.dim", null, `${f.count} times, the first one here`, f.last_draw !== undefined && [", the last one at ", this.drawLink(f.last_draw)]);
        return [
            el("div.head", null, this.back(), el(`span.severity.${f.severity}`, null, f.severity), f.code && el("span.mono", null, f.code), rule && el("span.dim", null, rule.title)),
            el("p.message", null, f.message), many,
            el("p", null, f.step !== null ? [this.packetLink(f.step, `${f.packet ?? capture.name(f.step)} #${f.step}`), " ", this.place(f.step)] : el("span.dim", null, `${f.file} dword ${f.dword}`), f.draw !== undefined && capture.draws[f.draw] && [", ", this.drawLink(f.draw)], f.register && [", register ", this.registerLink(f.register), f.field && `.${f.field}`]),
            source && el("pre", null, source),
            f.notes?.length && el("div.card", null, el("h3", null, "Notes"), el("ul", { style: "padding-left:18px" }, f.notes.map((note) => el("li.wrap", null, note.text, note.step !== undefined && note.step !== null && [" ", this.packetLink(note.step)], note.register && [" ", this.registerLink(note.register)])))),
            f.help && el("div.card", null, el("h3", null, "What to do"), el("p.wrap", null, f.help)),
            rule && el("div.card", null, el("h3", null, "What is known"), el("p.wrap", null, rule.explanation)),
            f.source && el("p.dim.wrap", null, `Source: ${f.source}`),
        ];
    }

    /** A register: every write of it. */
    register(register) {
        const { capture } = this, { steps, values } = capture.history(register.addr), most = 400;
        const last = values.length ? values[values.length - 1] : null;
        let lines = [];
        for (let i = 0; i < steps.length && lines.length < most; i++) {
            const before = i > 0 ? values[i - 1] : null;
            lines.push({ addr: register.addr, value: values[i], known: 0, before, step: steps[i] });
        }
        return [
            el("div.head", null, this.back(), el("h2", null, register.name), el("span.mono.dim", null, hex(register.addr, 5)), el("span.dim", null, register.layout?.space ?? "")),
            register.layout?.doc && el("p.wrap", null, register.layout.doc), register.layout?.note && el("p.dim.wrap", null, register.layout.note),
            last !== null && el("div.card", null, el("h3", null, `As packet #${steps[steps.length - 1]} sets it last`), this.bits(register, { value: last, known: 0, before: null })),
            el("div.card", null, el("h3", null, `${count(steps.length, "write")} by SET packets`, steps.length > most && `, the first ${most}`), steps.length ? this.registersTable(lines) : el("p.dim", null, "No packet sets it; it was loaded, or holds the state of other packets.")),
        ];
    }

    overview() {
        const { capture } = this, { head } = capture, s = head.summary;
        const bad = capture.order.filter((i) => capture.findings[i].severity !== "info");
        // One of each kind: the same mistake at many places is one thing to look at.
        const kinds = new Map();
        for (const i of bad.length ? bad : capture.order) push(kinds, `${capture.findings[i].severity} ${capture.findings[i].code ?? i}`, i);
        const first = [...kinds.values()].slice(0, 8);
        const verdict = () => {
            if (!capture.isRun) return capture.findings.length ? `The streams are damaged in ${count(capture.findings.length, "place")}.` : "All packets are decoded; nothing is damaged.";
            if (s.errors) return `${count(s.errors, "error")}, ${count(s.warnings, "warning")}, ${count(s.infos, "remark")}.`;
            return s.warnings ? `No errors; ${count(s.warnings, "warning")}, ${count(s.infos, "remark")}.` : `No errors and no warnings; ${count(s.infos, "remark")}.`;
        };
        return [
            el("div.card", null, el("h3", null, bad.length ? "Look at these first" : "Verdict"), el("p.message", { style: "margin-bottom:8px" }, verdict()), first.length > 0 && el("div.first", null, first.map((list) => this.findingLine(list[0], list.length - 1))), capture.findings.length > first.length && el("p", { style: "margin-top:8px" }, el("a", { href: "#findings" }, `all ${capture.findings.length}`))),
            el("div.columns", null,
                capture.isRun && el("div.card", null, el("h3", null, "Queues"), el("div.scroll", null, this.queueTable())),
                el("div.card", null, el("h3", null, capture.isRun ? "What ran" : "What is there"), el("dl.facts", null, this.facts())),
                el("div.card", null, el("h3", null, "Buffers"), el("div.scroll", null, el("table", null, el("tr", null, ["name", "address", "dwords"].map((name) => el("th", null, name))), head.buffers.map((buffer) => el("tr", null, el("td.wrap", { title: buffer.name }, baseName(buffer.name)), el("td.mono", null, buffer.addr ?? "—"), el("td.number", null, buffer.dwords.toLocaleString("en")))))))),
        ];
    }

    /** Why it hung: engines with the packets where they stood, the draw in flight, what they wait for, the page fault, findings, the likeliest first. */
    hang() {
        const { capture } = this, { hang } = capture.head;
        const packet = (told) => {
            const text = `${told.buffer ?? baseName(told.file)} dword ${told.dword}, ${told.opcode}`;
            return told.step === undefined ? text : this.packetLink(told.step, text);
        };
        const engine = (told) => [el("dt", null, told.engine), el("dd", null,
            told.candidates.length === 0 ? el("div", null, "not found") : told.candidates.map((candidate, i) => el("div.wrap", null, i > 0 && el("span.dim", null, "or "), packet(candidate))),
            told.fitting > told.candidates.length && told.candidates.length > 0 && told.headers.length > 1 && el("div.dim", null, `or ${told.fitting - told.candidates.length} more`),
            el("div.dim.wrap", null, told.candidates.length ? `${told.confidence} confidence, by ${told.by}` : told.by))];
        const suspect = (told) => {
            const line = [el(`span.severity.${told.severity}`, null, told.severity), el("span.mono", null, told.code), el("span.text.wrap", null, told.message, el("span.dim", null, ` (${told.tie})`))];
            if (told.finding !== undefined) return el(`a.${told.severity}`, { href: `#findings/${capture.order.indexOf(told.finding)}` }, line);
            return told.step === undefined ? el("div", null, line) : el(`a.${told.severity}`, { href: `#packets/${told.step}` }, line);
        };
        const draw = capture.draws[hang.draw] && hang.draw, fault = hang.fault;
        const card = (title, ...parts) => el("div.card", null, el("h3", null, title), parts);
        const lines = (list) => list.map((line) => el("p.wrap", null, line));
        return [
            card(`Ring ${hang.ring ?? "not told"}: where the engines stood`,
                hang.fetched && el("p.wrap", null, `fetched up to dword ${hang.fetched.dword} of ${hang.fetched.buffer}`),
                el("dl.facts", null, hang.engines.map(engine)), hang.engines.length === 0 && el("p.dim", null, "The dump has nothing that tells it."), lines(hang.notes)),
            card("Findings that can explain it, most likely first",
                hang.suspects.length ? el("div.first", null, hang.suspects.map(suspect)) : el("p", null, hang.job ? "None: nothing that the rules know is wrong before the packet in work." : "None: the words of the job are not in the dump."),
                hang.not_reached > 0 && el("p.dim", null, `${count(hang.not_reached, "finding")} about packets behind the one in work cannot.`)),
            hang.waits.length > 0 && card("What the registers say", lines(hang.waits)),
            fault && card("Page fault",
                el("p.wrap", null, el("span.mono", null, fault.address), `, seen by ${fault.hub}, status `, el("span.mono", null, fault.status), fault.meaning && ` (${fault.meaning})`),
                el("p.dim", null, "The last one since boot, perhaps not of this job."), lines(fault.near)),
            draw !== undefined && [el("div.head", null, el("h2", null, "Draw in flight: ", this.drawLink(draw))), this.draw(draw).slice(1)],
        ];
    }

    facts() {
        const { capture } = this, { head } = capture, s = head.summary;
        const list = capture.isRun
            ? [["chip", `${head.chip}, ${head.gfx}`], ["packets", s.packets], ["draws", s.draws], ["dispatches", s.dispatches], ["context rolls", s.context_stalls ? `${s.context_rolls}, of which ${s.context_stalls} found no free context (estimated)` : s.context_rolls],
                ["redundant writes", `${head.statistics.context_redundant.toLocaleString("en")} of ${(head.statistics.context_changed + head.statistics.context_redundant).toLocaleString("en")} context registers written between draws`]]
            : [["generation", head.gfx], ["packets", capture.steps], ["dwords", head.buffers.reduce((sum, buffer) => sum + buffer.dwords, 0)]];
        const skipped = Object.entries(s?.not_executed ?? {});
        if (skipped.length) list.push(["not executed by the model", skipped.map(([name, number]) => `${name} ${number}`).join(", ")]);
        return list.map(([name, value]) => [el("dt", null, name), el("dd", null, typeof value === "number" ? value.toLocaleString("en") : value)]);
    }

    queueTable() {
        const { capture } = this;
        const queues = new Map(capture.queueNames.map((number) => [number, { packets: 0, draws: 0, last: null }]));
        for (let step = 0; step < capture.steps; step++) {
            const queue = queues.get(capture.queue(step));
            queue.packets++;
            queue.last = step;
            if (capture.kind(step) & WORK) queue.draws++;
        }
        const lastDraw = (number) => capture.drawsOfQueue.get(capture.queueName(number))?.at(-1);
        return el("table", null, el("tr", null, ["queue", "packets", "draws, dispatches", "last draw", "last packet"].map((name) => el("th", null, name))),
            [...queues].map(([number, queue]) => el("tr", null, el("td", null, capture.queueName(number)), el("td.number", null, queue.packets.toLocaleString("en")), el("td.number", null, queue.draws.toLocaleString("en")),
                el("td", null, lastDraw(number) === undefined ? "—" : this.drawLink(lastDraw(number))), el("td", null, queue.last === null ? "—" : this.packetLink(queue.last, `${capture.name(queue.last)} #${queue.last}`)))));
    }

    statistics() {
        const { capture } = this, { head, c } = capture;
        const packets = new Map();
        for (let step = 0; step < capture.steps; step++) {
            const name = capture.name(step), entry = packets.get(name) ?? { count: 0, dwords: 0 };
            entry.count++;
            entry.dwords += c.size[capture.row(step)];
            packets.set(name, entry);
        }
        const tally = (lists) => { const map = new Map(); for (const list of lists) for (const item of list) map.set(item, (map.get(item) ?? 0) + 1); return [...map].sort((a, b) => b[1] - a[1]); };
        const redundant = tally(capture.draws.map((draw) => draw.roll?.redundant ?? [])).slice(0, 20), changed = tally(capture.draws.map((draw) => draw.roll?.changed ?? [])).slice(0, 20);
        const written = capture.registers.map((register) => [register.name, capture.history(register.addr).steps.length]).filter(([, n]) => n).sort((a, b) => b[1] - a[1]).slice(0, 20);
        const list = (title, rows, name, link) => rows.length > 0 && el("div.card", null, el("h3", null, title), this.bars(rows, name, link));
        const named = (addr) => capture.registerName(Number(addr));
        return [el("div.columns", null,
            list("Packets", [...packets].sort((a, b) => b[1].count - a[1].count).map(([name, entry]) => [name, entry.count, entry.dwords]), (name) => name, (name) => `#packets?q=${encodeURIComponent(name)}`),
            head.statistics && list("Context rolls by cause", Object.entries(head.statistics.rolls), (name) => name),
            list("Context registers written with what they held", redundant, named, (addr) => `#registers/${encodeURIComponent(named(addr))}`),
            list("Context registers changed between draws", changed, named, (addr) => `#registers/${encodeURIComponent(named(addr))}`),
            list("Registers set most often", written, (name) => name, (name) => `#registers/${encodeURIComponent(name)}`))];
    }

    bars(rows, name, link) {
        const most = Math.max(...rows.map((row) => row[1]));
        const dwords = rows[0].length > 2;
        return el("div.scroll", null, el("table", null, dwords && el("tr", null, el("th"), el("th.number", null, "count"), el("th.number", null, "dwords"), el("th")),
            rows.map((row) => el("tr", null, el("td.wrap", null, link ? el("a", { href: link(row[0]) }, name(row[0])) : name(row[0])), el("td.number", null, row[1].toLocaleString("en")), dwords && el("td.number", null, row[2].toLocaleString("en")), el("td", { style: "width:30%" }, el("span.bar", { style: `width:${(100 * row[1]) / most}%` }))))));
    }
}

/** A part of the address as it was meant; one that cannot be decoded, as it is. */
function decoded(text) {
    try { return decodeURIComponent(text); } catch { return text; }
}

const baseName = (path) => path.split(/[\\/]/).pop() || path;

(async () => {
    theme.start();
    const app = document.getElementById("app");
    if (!("DecompressionStream" in window)) {
        fill(app, el("p.loading", null, "This browser cannot unpack the data: it needs DecompressionStream (Chromium 80, Firefox 113, Safari 16.4, or later)."));
        return;
    }
    fill(app, el("p.loading", null, "…"));
    try {
        window.page = new App(await Capture.load());
    } catch (error) {
        fill(app, el("p.loading.error-text", null, `The data of this page is damaged: ${error.message}`));
        throw error;
    }
    document.documentElement.dataset.ready = "yes";
})();
