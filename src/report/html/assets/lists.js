// The search of packets, and lists of packets.

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

    /** Whether a row matches. */
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

/** A list that creates only the visible rows. */
class VirtualList {
    static HEIGHT = 24;
    /** Browsers limit the height of a box. */
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

    /** The scroll offset in pixels that the list would have without the limit. */
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
            // A new list has no height yet.
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
