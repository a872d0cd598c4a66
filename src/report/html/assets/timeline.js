// The timeline of the queues.

/** The queues over the steps: work, waits and synchronization, contexts, findings. */
class Timeline {
    static LANES = [
        { name: "draws", colour: "accent", height: 12 },
        { name: "waits", colour: "warning", height: 9 },
        { name: "events", colour: "dim", height: 9 },
        { name: "rolls", colour: "text", height: 9 },
    ];
    static LEFT = 112;
    static TOP = 18;

    constructor(capture, go, signal) {
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
        document.addEventListener("theme", () => this.draw(), { signal });
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw(), { signal });
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

    /** The step shown nearest to a place, or null. */
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

    /** Draws at most once per frame. */
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

    /** Draws ticks, at most one per pixel. */
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
