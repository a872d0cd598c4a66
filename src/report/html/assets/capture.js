// Pages of packets: a run of the model, or streams that are decoded but not run. All text from the input goes through `el`, which creates text nodes.

/** Flags of a packet; the bits are defined in packet_table.rs. */
const KIND = { draw: 1, dispatch: 2, wait: 4, event: 8, call: 16, memory: 32, registers: 64, damage: 128, compute: 256 };
const WORK = KIND.draw | KIND.dispatch;
/** How well the value of a register is known; the numbers are defined in run_page.rs. */
const KNOWN = ["written", "from CLEAR_STATE", "loaded from memory", "from reset", "unknown"];
const NOBODY = 0xffffffff;
const SEVERITIES = ["error", "warning", "info"];
const KEYFRAME = 256;
/** Number of findings in a block of details; defined in finding_list.rs. */
const FINDING_DETAILS = 256;

/** The data of the page. A step is an executed packet, in execution order; a row is a packet in address order. If nothing ran, steps are rows. */
class Capture {
    static async load() {
        const capture = new Capture();
        capture.head = JSON.parse(await blockText("head"));
        const names = ["name", "text", "buffer", "dword", "kind", "size", "words", "writes", "write_addr", "write_value"];
        const run = ["row", "queue", "changes", "change_addr", "change_value", "change_step", "change_known"];
        const columns = await Promise.all([...names, ...run].map(column));
        capture.c = Object.fromEntries([...names, ...run].map((name, i) => [name, columns[i]]));
        capture.texts = JSON.parse(await blockText("texts"));
        capture.findings = (await blockText("findings")).split("\n").filter(Boolean).map((line) => JSON.parse(line));
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
        this.order = SEVERITIES.flatMap((severity) => this.findings.flatMap((finding, i) => (finding.severity === severity ? [i] : [])));
        this.placeOf = new Uint32Array(this.findings.length);
        this.order.forEach((i, place) => { this.placeOf[i] = place; });
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

    /** The meanings of the fields of a packet; unpacked on demand. */
    details(step) { return this.detailsOf("details", this.row(step), this.head.packets.details); }

    /** The details of a finding that the list omits: place, notes, help, source, text. */
    findingDetails(i) { return this.detailsOf("finding_details", i, FINDING_DETAILS); }

    async detailsOf(name, item, size) {
        const block = `${name}${Math.floor(item / size)}`;
        if (!this.chunks.has(block)) {
            if (this.chunks.size > 32) this.chunks.delete(this.chunks.keys().next().value);
            this.chunks.set(block, blockText(block).then((text) => (text ?? "").split("\n")));
        }
        const line = (await this.chunks.get(block))[item % size];
        return line ? JSON.parse(line) : {};
    }

    /** The registers that a draw runs with: address to value, how well it is known, and the step that wrote it. */
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

    /** The previous draw on the same queue. */
    drawBefore(draw) {
        const list = this.drawsOfQueue.get(this.draws[draw].queue);
        return list[lowerBound(list, draw) - 1] ?? null;
    }

    /** The writes of each register, by address, in the order of steps. */
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

    /** The value that the packets of a queue gave a register before a step. */
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

/** The start of each item, and the end of the last one. */
function starts(sizes) {
    const list = new Uint32Array(sizes.length + 1);
    for (let i = 0; i < sizes.length; i++) list[i + 1] = list[i] + sizes[i];
    return list;
}

/** The first position whose value is not less. */
function lowerBound(list, value) {
    let low = 0, high = list.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] < value) low = middle + 1;
        else high = middle;
    }
    return low;
}
