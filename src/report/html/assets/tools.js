"use strict";
// Shared by the scripts of all pages: elements, the embedded data, light and dark, keys.

/** An element: `tag.class.class`, attributes, children. Strings and numbers become text, never markup; null and false are left out. */
function el(tag, attributes, ...children) {
    const [name, ...classes] = tag.split(".");
    const element = document.createElement(name || "div");
    if (classes.length) element.className = classes.join(" ");
    for (const [key, value] of Object.entries(attributes ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (key === "style") element.style.cssText = value;
        else element.setAttribute(key, value === true ? "" : value);
    }
    add(element, children);
    return element;
}

function add(element, children) {
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false) continue;
        element.append(child instanceof Node ? child : String(child));
    }
}

/** Puts new children into an element. */
function fill(element, ...children) {
    element.replaceChildren();
    add(element, children);
    return element;
}

const hex = (value, digits = 8) => "0x" + (value >>> 0).toString(16).padStart(digits, "0");
const count = (number, one, many = one + "s") => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** Blocks by name that are not embedded but created while the page is open: {bytes, packed}. */
const made = new Map();

/** Starts a page with its embedded data: `show` fills the element of the page. */
async function startPage(show) {
    theme.start();
    const app = document.getElementById("app");
    if (!("DecompressionStream" in window)) {
        fill(app, el("p.loading", null, "This browser cannot unpack the data: it needs DecompressionStream (Chromium 80, Firefox 113, Safari 16.4, or later)."));
        return;
    }
    await show(app);
    document.documentElement.dataset.ready = "yes";
}

/** A block of data as a stream of its unpacked bytes; null if the page has no block of this name. */
function blockStream(name) {
    let packed = made.get(name)?.bytes;
    if (!packed) {
        const holder = document.querySelector(`script[data-name="${name}"]`);
        if (!holder) return null;
        const text = atob(holder.textContent);
        packed = new Uint8Array(text.length);
        for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
    }
    return new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
}

/** The bytes of a block of data; null if the page has no block of this name. */
async function block(name) {
    const own = made.get(name);
    if (own && !own.packed) return own.bytes.slice();
    const stream = blockStream(name);
    return stream && new Uint8Array(await new Response(stream).arrayBuffer());
}

async function blockText(name) {
    const bytes = await block(name);
    return bytes && new TextDecoder().decode(bytes);
}

/** A column of 32-bit numbers. */
async function column(name) {
    const plain = await block(`${name}:u32`);
    const bytes = plain ?? (await block(`${name}:delta`));
    if (!bytes) return new Uint32Array();
    const numbers = new Uint32Array(bytes.buffer, 0, bytes.byteLength >> 2);
    if (!plain) for (let i = 1; i < numbers.length; i++) numbers[i] += numbers[i - 1];
    return numbers;
}

/** Light, dark, or as in the system settings; the browser stores the choice if it is allowed to. */
const theme = {
    names: ["system", "light", "dark"],
    now: "system",
    set(name) {
        this.now = name;
        document.documentElement.style.colorScheme = name === "system" ? "light dark" : name;
        try { localStorage.setItem("pm4-theme", name); } catch { /* pages opened as files may not keep anything */ }
        document.dispatchEvent(new Event("theme"));
    },
    next() { this.set(this.names[(this.names.indexOf(this.now) + 1) % this.names.length]); },
    start() {
        try { this.set(localStorage.getItem("pm4-theme") ?? "system"); } catch { this.set("system"); }
    },
    button() {
        const button = el("button.no-print", { onclick: () => theme.next(), title: "Light, dark, or as in the system settings (t)" });
        const name = () => fill(button, { system: "◐", light: "○", dark: "●" }[this.now] ?? "◐");
        button.setAttribute("aria-label", "Light or dark");
        document.addEventListener("theme", name);
        name();
        return button;
    },
};

/** A button that copies text and reports whether it succeeded. */
function copyButton(text) {
    const said = el("span.dim", { role: "status" });
    const copy = async () => {
        try {
            await navigator.clipboard.writeText(text);
        } catch {
            // Without permission for the clipboard, try the old way.
            const area = el("textarea", { style: "position:fixed;opacity:0", "aria-hidden": "true" });
            area.value = text;
            document.body.append(area);
            area.select();
            const copied = document.execCommand("copy");
            area.remove();
            if (!copied) return fill(said, " select the text, and copy it with the keys of your system");
        }
        fill(said, " copied");
        setTimeout(() => fill(said), 2000);
    };
    return el("span.copy.no-print", null, el("button", { onclick: copy }, "Copy"), said);
}

/** Keys of a page: `[keys, description, action]`. `?` shows them. `signal`, if any, removes them. */
function keys(list, signal) {
    const dialog = el("dialog.no-print", null,
        el("h2", null, "Keys"),
        el("dl", null, list.map(([names, text]) => [el("dt", null, names.map((name, i) => [i > 0 && " ", el("kbd", null, name)])), el("dd", null, text)]), el("dt", null, el("kbd", null, "?")), el("dd", null, "this list")),
        el("p", { style: "margin-top:14px" }, el("button", { onclick: () => dialog.close() }, "Close")));
    document.body.append(dialog);
    document.addEventListener("keydown", (event) => {
        const typing = event.target.closest?.("input, select, textarea");
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (typing && event.key !== "Escape") return;
        if (event.key === "?") return dialog.open ? dialog.close() : dialog.showModal();
        if (dialog.open) return;
        const found = list.find(([names, , action]) => action && names.includes(event.key));
        if (found && found[2](event) !== false) event.preventDefault();
    }, { signal });
    signal?.addEventListener("abort", () => dialog.remove());
    return () => dialog.showModal();
}

/** The 32 bits as boxes. `fields` are [name, lo, hi, value list, doc, note, true for a float]; `before` is a word to compare with, or null. */
function bitDiagram(fields, value, before, enums, narrow) {
    const cells = [];
    let next = 0;
    for (const field of [...fields].sort((a, b) => a[1] - b[1])) {
        if (field[1] > next) cells.push({ lo: next, hi: field[1] - 1 });
        if (field[1] >= next) cells.push({ lo: field[1], hi: field[2], field });
        next = Math.max(next, field[2] + 1);
    }
    if (next < 32) cells.push({ lo: next, hi: 31 });
    const rows = narrow ? [[31, 16], [15, 0]] : [[31, 0]];
    return el("div.bits", { role: "img", "aria-label": `bits of ${hex(value)}` }, rows.map(([top, bottom]) => {
        const numbers = Array.from({ length: top - bottom + 1 }, (_, i) => el("div.bit", null, top - i));
        const boxes = cells.filter((cell) => cell.hi >= bottom && cell.lo <= top).sort((a, b) => b.hi - a.hi).map((cell) => {
            const bits = bitsOf(value, cell.lo, cell.hi);
            const changed = before !== null && before !== undefined && bits !== bitsOf(before, cell.lo, cell.hi);
            const span = Math.min(cell.hi, top) - Math.max(cell.lo, bottom) + 1;
            const name = cell.field?.[0] ?? "";
            const text = cell.field ? valueName(cell.field, bits, enums) ?? number(bits) : bits ? number(bits) : "";
            const kind = ["field", !cell.field && "none", bits && "set", changed && "changed"].filter(Boolean).join(".");
            return el(`div.${kind}`, { style: `grid-column:span ${span}`, title: `${range(cell.lo, cell.hi)} ${name || "no field"}: ${text || 0}` }, cell.field && el("b", null, name), el("span", null, text));
        });
        return el("div.strip", { style: `--columns:${top - bottom + 1}` }, numbers, boxes);
    }));
}

const bitsOf = (word, lo, hi) => ((word >>> lo) & (hi - lo === 31 ? 0xffffffff : (1 << (hi - lo + 1)) - 1)) >>> 0;
const range = (lo, hi) => (lo === hi ? `${lo}` : `${hi}:${lo}`);
const number = (value) => (value < 4096 ? String(value) : "0x" + value.toString(16));

/** The number that the bits of a float represent, printed as `dump` prints it: with just enough digits to distinguish it from its neighbours. */
function floatText(bits) {
    const value = new Float32Array(Uint32Array.of(bits).buffer)[0], size = Math.abs(value);
    if (Number.isNaN(value)) return "NaN";
    if (size === Infinity) return value > 0 ? "inf" : "-inf";
    if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
    const shortest = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digits) => Number(value.toPrecision(digits))).find((short) => Math.fround(short) === value) ?? value;
    if (size < Math.fround(1e-4) || size >= Math.fround(1e16)) return shortest.toExponential().replace("e+", "e");
    return Number.isInteger(shortest) ? `${shortest}.0` : String(shortest);
}

/** The name of a field's value, if its list has one; flags are joined. A float gives its number. */
function valueName(field, value, enums) {
    if (field[6]) return floatText(value);
    const list = field[3] === null || field[3] === undefined ? null : enums[field[3]];
    if (!list) return null;
    const exact = list.entries.find((entry) => entry[1] === value);
    if (exact) return exact[0];
    if (!list.flags || !value) return null;
    const parts = list.entries.filter((entry) => entry[1] && (value & entry[1]) === entry[1]);
    return parts.length ? parts.map((entry) => entry[0]).join(" | ") : null;
}
