// The page of the ordered section: a chart of waves over events, step by step.

/** Kinds of events; the numbers are defined in waves_page.rs. */
const EVENT = { launch: 0, sleep: 1, wake: 2, read: 3, write: 4, done: 5, end: 6, access: 7 };
const READ = 16, WRITE = 32, LATE = 64;
const SCREEN = 32;

/** Steps: the events of a wave at one time; the quads of one access are one step. */
async function load() {
    const head = JSON.parse(await blockText("head"));
    const [time, wave, kind, pixel, samples] = await Promise.all(["time", "wave", "kind", "pixel", "samples"].map(column));
    const waves = head.waves.map(([packer, number, id, quads, newest], at) => ({ at, packer, number, id, quads, newest, steps: [] }));
    const steps = [];
    for (let i = 0; i < kind.length; i++) {
        const what = kind[i] & 15, last = steps.at(-1);
        if (what === EVENT.access && last?.what === what && last.wave.at === wave[i] && last.time === time[i] && last.bits === (kind[i] & (READ | WRITE))) {
            last.to = i + 1;
            last.late ||= (kind[i] & LATE) !== 0;
            continue;
        }
        const step = { at: steps.length, time: time[i], wave: waves[wave[i]], what, bits: kind[i] & (READ | WRITE), late: (kind[i] & LATE) !== 0, from: i, to: i + 1 };
        steps.push(step);
        step.wave.steps.push(step);
    }
    return { head, waves, steps, pixel, samples };
}

const waveName = (wave) => `${wave.packer}.${wave.number}`;

class WavesApp {
    static ROW = 17;
    static LEFT = 96;
    static COLUMN = 9;

    constructor(data) {
        Object.assign(this, data, { packer: null, now: 0, picked: null });
        this.byName = new Map(this.waves.map((wave) => [waveName(wave), wave]));
        this.help = keys([
            [["ArrowRight", "l"], "next step", () => this.move(1)],
            [["ArrowLeft", "h"], "step before", () => this.move(-1)],
            [["ArrowDown", "j"], "next step of the same wave", () => this.moveInWave(1)],
            [["ArrowUp", "k"], "previous step of the same wave", () => this.moveInWave(-1)],
            [["PageDown", "PageUp"], "20 steps", (event) => this.move(event.key === "PageDown" ? 20 : -20)],
            [["Home", "End"], "first and last step", (event) => this.go(event.key === "Home" ? 0 : this.shown.length - 1)],
            [["n"], "next access that breaks the order", () => this.nextLate()],
            [["p"], "next packer, or all", () => this.choosePacker(this.packer === null ? 0 : this.packer + 1 < this.head.packers ? this.packer + 1 : null)],
            [["t"], "light, dark, as the system", () => theme.next()],
        ]);
        this.build();
        const first = this.head.result.findings[0];
        this.choosePacker(this.steps.length ? this.findingWave(first)?.packer ?? 0 : null);
        if (first) this.showFinding(first);
        else this.nextOverlap();
    }

    build() {
        const { head } = this, { result } = head;
        const bad = result.violations + result.hangs + result.protocol_errors;
        this.chart = el("canvas", { role: "img", "aria-label": "Waves over steps; the text below the buttons says what happens", onclick: (event) => this.clickChart(event) });
        this.pixels = el("canvas", { width: 320, height: 320, role: "img", "aria-label": "Pixels of the packer's screen", onclick: (event) => this.clickPixel(event) });
        this.slider = el("input", { type: "range", min: 0, value: 0, "aria-label": "Step", oninput: () => this.go(Number(this.slider.value)) });
        this.text = el("div.now", { "aria-live": "polite" });
        this.where = el("span.dim.nowrap");
        this.packers = el("select", { "aria-label": "Packer", onchange: () => this.choosePacker(this.packers.value === "" ? null : Number(this.packers.value)) },
            el("option", { value: "" }, "all packers"), Array.from({ length: head.packers }, (_, i) => el("option", { value: i }, `packer ${i}`)));
        this.atPixel = el("div");
        const button = (name, title, action) => el("button", { title, "aria-label": title, onclick: action }, name);
        const program = head.program.trimEnd().split("\n");
        fill(document.getElementById("app"),
            el("header", null,
                el("div.name", null, el("h1", null, "Ordered section"), el("span.pill", null, head.chip), el("span.pill", null, head.gfx), head.about.map((text) => el("span.dim.wrap", null, text))),
                el("span.buttons.no-print", null, theme.button(), el("button", { onclick: () => this.help(), title: "Keys (?)", "aria-label": "Keys" }, "?"))),
            el("div.top", null,
                el("p.verdict", null, bad ? el("span.error-text", null, `${count(result.violations, "violation")}, ${count(result.hangs, "hung wave")}, ${count(result.protocol_errors, "protocol error")}`) : "Order holds, and nothing hangs", `: ${count(result.waves, "wave")} ended, ${result.overlapped.toLocaleString("en")} overlapped others.`),
                el("dl.facts", null, head.facts.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value)))),
                this.waves.length < result.waves && el("p.dim", null, `The page follows waves ${head.first} to ${head.first + head.followed - 1} of each packer.`)),
            el("div.stepper.no-print", null, button("|◂", "First step (Home)", () => this.go(0)), button("◂", "Previous step (←)", () => this.move(-1)), button("▸", "Next step (→)", () => this.move(1)), button("▸|", "Last step (End)", () => this.go(this.shown.length - 1)), this.slider, this.where, this.packers, this.steps.some((step) => step.late) && button("next late access", "Next access that breaks the order (n)", () => this.nextLate()), this.text),
            el("div.stage", null,
                el("div.card.chart", null, this.chart, el("div.legend", null,
                    [["▏", "launch"], ["○", "load issued"], ["●", "store issued"], ["r w", "reaches memory"], ["◆", head.done], ["▕", "end"]].filter(([, text]) => text).map(([mark, text]) => el("span", null, el("b", null, mark), ` ${text}`)), el("span", null, `bar: runs, hatched: sleeps${head.done ? `, thin: after ◆` : ""}`))),
                el("div.side", null,
                    result.findings.length > 0 && el("div.card", null, el("h3", null, "Findings"), result.findings.map((finding) => el("button.finding", { onclick: () => this.showFinding(finding) }, finding.message))),
                    head.lints.length > 0 && el("div.card", null, el("h3", null, "The program, on all paths"), el("ul", { style: "padding-left:18px" }, head.lints.map((lint) => el("li.wrap", null, lint)))),
                    el("div.card.pixels", null, el("h3", null, "Pixels of the packer's screen"), this.pixels, this.atPixel),
                    el("div.card", null, el("h3", null, "Program"), el("pre.program", null, program.map((line) => el("div", { class: result.findings.some((f) => f.at && line.trim() === f.at.text.trim()) ? "here" : null }, line)))))));
        new ResizeObserver(() => this.draw()).observe(this.chart.parentElement);
        document.addEventListener("theme", () => this.draw());
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    }

    get step() { return this.shown[this.now]; }

    choosePacker(packer) {
        const step = this.shown?.[this.now];
        this.packer = packer;
        this.packers.value = packer ?? "";
        this.shown = this.steps.filter((step) => packer === null || step.wave.packer === packer);
        this.rows = this.waves.filter((wave) => wave.steps.length && (packer === null || wave.packer === packer)).sort((a, b) => a.packer - b.packer || a.number - b.number);
        this.rowOf = new Map(this.rows.map((wave, row) => [wave, row]));
        this.columnOf = new Map(this.shown.map((step, column) => [step, column]));
        this.slider.max = Math.max(0, this.shown.length - 1);
        this.go(step && this.columnOf.has(step) ? this.columnOf.get(step) : Math.max(0, this.shown.findIndex((s) => s.at >= (step?.at ?? 0))));
    }

    go(to) {
        this.now = Math.max(0, Math.min(this.shown.length - 1, to));
        this.slider.value = this.now;
        this.draw();
    }

    move(by) { this.go(this.now + by); }

    moveInWave(by) {
        if (!this.step) return;
        const { steps } = this.step.wave, next = steps[steps.indexOf(this.step) + by];
        if (next) this.go(this.columnOf.get(next));
    }

    nextLate() {
        const from = this.shown.findIndex((step, i) => i > this.now && step.late);
        const to = from >= 0 ? from : this.shown.findIndex((step) => step.late);
        if (to >= 0) return this.go(to);
        const any = this.steps.find((step) => step.late);
        if (any) { this.choosePacker(any.wave.packer); this.go(this.columnOf.get(any)); }
    }

    /** The first wave that overlaps another. */
    nextOverlap() { this.go(Math.max(0, this.shown.findIndex((step) => step.what === EVENT.launch && step.wave.newest !== null))); }

    findingWave(finding) {
        const named = finding && (finding.older ?? finding.wave ?? finding.waiting?.[0]?.wave);
        return named ? this.byName.get(waveName(named)) ?? { packer: named.packer } : null;
    }

    showFinding(finding) {
        const wave = this.findingWave(finding);
        if (!wave?.steps) return;
        if (this.packer !== null && this.packer !== wave.packer) this.choosePacker(wave.packer);
        const step = (finding.kind === "violation" && wave.steps.find((step) => step.late)) || wave.steps.at(-1);
        if (finding.pixel) this.picked = { packer: wave.packer, x: finding.pixel[0], y: finding.pixel[1] };
        this.go(this.columnOf.get(step) ?? 0);
    }

    /** Pixels of a step: x, y, samples. */
    *pixelsOf(step) {
        if (step.what !== EVENT.access) return;
        for (let i = step.from; i < step.to; i++) {
            for (let pixel = 0; pixel < 4; pixel++) {
                const samples = (this.samples[i] >>> (8 * pixel)) & 255;
                if (samples) yield { x: (this.pixel[i] & 0xffff) + (pixel % 2), y: (this.pixel[i] >>> 16) + (pixel >> 1), samples };
            }
        }
    }

    say(step) {
        const { wave } = step, access = step.bits & WRITE ? "store" : "load";
        const overlaps = wave.newest === null ? "overlaps none" : `overlaps waves up to ${wave.packer}.${wave.newest}`;
        const text = {
            [EVENT.launch]: `starts with ${count(wave.quads, "quad")}; it ${overlaps}`,
            [EVENT.sleep]: `polls or waits in vain and sleeps; it ${overlaps}`,
            [EVENT.wake]: "runs again",
            [EVENT.read]: "issues a load of per-pixel data",
            [EVENT.write]: "issues a store of per-pixel data",
            [EVENT.done]: this.head.done ?? "leaves the section",
            [EVENT.end]: "ends",
            [EVENT.access]: `its ${access} reaches memory: ${count([...this.pixelsOf(step)].length, "pixel")}${step.late ? ", after a younger wave has accessed some of them" : ""}`,
        }[step.what];
        return [el("b", null, `wave ${waveName(wave)}`), ` (id ${wave.id}) `, el(`span${step.late ? ".error-text" : ""}`, null, text)];
    }

    colour(name) {
        this.probe ??= document.body.appendChild(el("span", { hidden: true }));
        this.probe.style.color = `var(--${name})`;
        return getComputedStyle(this.probe).color;
    }

    /** Draws at most once per frame. */
    draw() {
        this.due ??= requestAnimationFrame(() => {
            this.due = null;
            this.drawText();
            this.drawChart();
            this.drawPixels();
        });
    }

    drawText() {
        if (!this.step) return fill(this.text, "Nothing happens.");
        fill(this.where, `step ${this.now + 1} of ${this.shown.length}, time ${this.step.time}`);
        fill(this.text, this.say(this.step));
    }

    drawChart() {
        const { ROW, LEFT, COLUMN } = WavesApp, width = this.chart.parentElement.clientWidth - 30;
        if (width < 50) return;
        const rowsSeen = Math.max(12, Math.min(30, Math.floor((innerHeight - 250) / ROW))), height = 20 + rowsSeen * ROW, scale = devicePixelRatio || 1;
        this.chart.width = width * scale;
        this.chart.height = height * scale;
        this.chart.style.height = `${height}px`;
        const g = this.chart.getContext("2d");
        g.scale(scale, scale);
        const columns = Math.floor((width - LEFT) / COLUMN);
        const left = (this.leftColumn = Math.max(0, Math.min(this.shown.length - columns, this.now - Math.floor(columns * 0.6))));
        const current = this.step ? this.rowOf.get(this.step.wave) : 0;
        // Rows move as little as possible, so that the eye keeps its place.
        this.topRow = Math.max(0, Math.min(this.rows.length - rowsSeen, current - Math.floor(rowsSeen * 0.6)));
        const c = Object.fromEntries(["text", "dim", "line", "accent", "accent-soft", "raised", "error", "warning", "panel"].map((name) => [name, this.colour(name)]));
        const x = (column) => LEFT + (column - left) * COLUMN, y = (row) => 20 + (row - this.topRow) * ROW;
        g.font = "10px system-ui, sans-serif";
        for (let column = Math.ceil(left / 10) * 10; column < left + columns; column += 10) {
            g.fillStyle = c.line;
            g.fillRect(x(column), 14, 1, height);
            g.fillStyle = c.dim;
            if (column % 20 === 0) g.fillText(String(column + 1), x(column) + 2, 10);
        }
        if (current !== undefined) { g.fillStyle = c.raised; g.fillRect(0, y(current), width, ROW); }
        g.fillStyle = c["accent-soft"];
        g.fillRect(x(this.now), 14, COLUMN, height);
        for (let row = this.topRow; row < Math.min(this.rows.length, this.topRow + rowsSeen); row++) this.drawWave(g, c, this.rows[row], y(row), x, left, columns);
    }

    drawWave(g, c, wave, top, x, left, columns) {
        const { ROW, LEFT, COLUMN } = WavesApp, middle = top + ROW / 2, isNow = this.step?.wave === wave;
        g.textAlign = "left";
        g.font = `${isNow ? "600 " : ""}11px system-ui, sans-serif`;
        g.fillStyle = isNow ? c.text : c.dim;
        g.fillText(`${waveName(wave)}`, 2, middle + 4);
        g.fillStyle = c.dim;
        g.fillText(`id ${wave.id}`, 48, middle + 4);
        const end = (i) => (wave.steps[i + 1] ? this.columnOf.get(wave.steps[i + 1]) : this.shown.length);
        let state = "run", after = false;
        wave.steps.forEach((step, i) => {
            const column = this.columnOf.get(step), next = step.what === EVENT.end ? column : end(i);
            state = step.what === EVENT.sleep ? "sleep" : step.what === EVENT.wake ? "run" : state;
            after ||= step.what === EVENT.done;
            // Outstanding accesses of a wave may reach memory after its end.
            if (wave.steps.slice(0, i).some((s) => s.what === EVENT.end)) return;
            const from = Math.max(left, column), to = Math.min(left + columns, next + (next > column ? 0 : 1));
            if (to <= from) return;
            const x0 = x(from), length = x(to) - x0;
            if (state === "sleep") {
                g.fillStyle = c.warning;
                for (let at = 0; at < length; at += 4) g.fillRect(x0 + at, middle - 2, 2, 4);
            } else {
                g.fillStyle = c.accent;
                g.globalAlpha = after ? 0.35 : 0.55;
                g.fillRect(x0, middle - (after ? 1 : 3), length, after ? 2 : 6);
                g.globalAlpha = 1;
            }
        });
        for (const step of wave.steps) {
            const column = this.columnOf.get(step);
            if (column < left || column >= left + columns) continue;
            this.mark(g, c, step, x(column) + COLUMN / 2, middle);
        }
    }

    mark(g, c, step, x, y) {
        g.fillStyle = g.strokeStyle = step.late ? c.error : c.text;
        g.lineWidth = 1.4;
        g.textAlign = "center";
        g.beginPath();
        switch (step.what) {
            case EVENT.launch: g.fillRect(x - 4, y - 6, 2, 12); break;
            case EVENT.end: g.fillRect(x + 1, y - 6, 2, 12); break;
            case EVENT.read: g.arc(x, y, 3, 0, 7); g.fillStyle = c.panel; g.fill(); g.stroke(); break;
            case EVENT.write: g.arc(x, y, 3, 0, 7); g.fill(); break;
            case EVENT.done: g.moveTo(x, y - 5); g.lineTo(x + 4, y); g.lineTo(x, y + 5); g.lineTo(x - 4, y); g.fill(); break;
            case EVENT.access:
                if (step.late) { g.fillRect(x - 5, y - 7, 10, 14); g.fillStyle = c.panel; }
                g.font = "600 10px system-ui, sans-serif";
                g.fillText(step.bits & WRITE ? "w" : "r", x, y + 3.5);
        }
    }

    drawPixels() {
        const g = this.pixels.getContext("2d"), cell = 10;
        g.fillStyle = this.colour("panel");
        g.fillRect(0, 0, 320, 320);
        if (!this.step) return;
        const { packer } = this.step.wave, recent = 240;
        g.fillStyle = this.colour("dim");
        for (let i = Math.max(0, this.now - recent); i < this.now; i++) {
            const step = this.shown[i];
            if (step.wave.packer !== packer || step.what !== EVENT.access) continue;
            g.globalAlpha = 0.04 + 0.3 * (1 - (this.now - i) / recent);
            for (const { x, y } of this.pixelsOf(step)) { g.clearRect(x * cell, y * cell, cell - 1, cell - 1); g.fillRect(x * cell, y * cell, cell - 1, cell - 1); }
        }
        g.globalAlpha = 1;
        // All pixels that the wave accesses are outlined; those it accesses now are filled.
        g.strokeStyle = this.colour("accent");
        for (const step of this.step.wave.steps) for (const { x, y } of this.pixelsOf(step)) g.strokeRect(x * cell + 0.5, y * cell + 0.5, cell - 2, cell - 2);
        g.fillStyle = this.colour(this.step.late ? "error" : "accent");
        for (const { x, y } of this.pixelsOf(this.step)) g.fillRect(x * cell, y * cell, cell - 1, cell - 1);
        if (this.picked?.packer === packer) {
            g.strokeStyle = this.colour("text");
            g.lineWidth = 2;
            g.strokeRect(this.picked.x * cell, this.picked.y * cell, cell, cell);
            g.lineWidth = 1;
        }
        this.drawPicked(packer);
    }

    /** The accesses to a pixel, in the order in which they reach memory. */
    drawPicked(packer) {
        if (!this.picked || this.picked.packer !== packer) return fill(this.atPixel, el("p.dim", null, `Packer ${packer}. A click on a pixel lists its accesses.`));
        const { x, y } = this.picked, most = 14;
        const all = this.shown.flatMap((step) => (step.wave.packer === packer ? [...this.pixelsOf(step)].filter((p) => p.x === x && p.y === y).map((p) => ({ step, samples: p.samples })) : []));
        const near = Math.max(0, all.findIndex(({ step }) => this.columnOf.get(step) >= this.now)), from = Math.max(0, Math.min(all.length - most, near - most / 2));
        fill(this.atPixel, el("p", null, `Pixel ${x}, ${y}: ${count(all.length, "access", "accesses")}`), el("table", null, el("tr", null, ["step", "wave", "", "samples"].map((name) => el("th", null, name))),
            all.slice(from, from + most).map(({ step, samples }) => el(`tr${step.late ? ".late" : ""}${step === this.step ? ".here" : ""}`, { tabindex: 0, onclick: () => this.go(this.columnOf.get(step)) },
                el("td", null, this.columnOf.get(step) + 1), el("td", null, waveName(step.wave)), el("td", null, step.bits & WRITE ? "store" : "load", step.late && ", late"), el("td.mono", null, "0x" + (samples & ((1 << this.head.samples) - 1)).toString(16))))));
    }

    clickChart(event) {
        const column = Math.floor((event.offsetX - WavesApp.LEFT) / WavesApp.COLUMN) + this.leftColumn, wave = this.rows[Math.floor((event.offsetY - 20) / WavesApp.ROW) + this.topRow];
        if (event.offsetX < WavesApp.LEFT) return wave && this.go(this.columnOf.get(wave.steps[0]));
        // The step of the wave under the pointer, if one is near.
        const near = wave?.steps.map((step) => this.columnOf.get(step)).find((at) => Math.abs(at - column) <= 1);
        this.go(near ?? column);
    }

    clickPixel(event) {
        const size = this.pixels.clientWidth;
        this.picked = { packer: this.step?.wave.packer ?? 0, x: Math.floor((event.offsetX / size) * SCREEN), y: Math.floor((event.offsetY / size) * SCREEN) };
        this.draw();
    }
}

startPage(async () => {
    window.page = new WavesApp(await load());
});
