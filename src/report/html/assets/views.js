// The view of the selection: a packet, a draw, a finding or a register; and the parts of the page without a list.

/** Needs `capture`, `tab`, `list` and `go` of the surrounding page. */
class Views {
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
        return el(`a.${f.severity}`, { href: `#findings/${this.capture.placeOf[i]}` }, el(`span.severity.${f.severity}`, null, f.severity), el("span.mono", null, f.code ?? ""), el("span.text.wrap", null, f.message, f.count > 1 && el("span.dim", null, ` (${f.count} times)`), more > 0 && el("span.dim", null, ` and ${count(more, "more finding")} of ${f.code}`)));
    }

    /** A packet: fields, registers, words. */
    packet(step) {
        const { capture } = this, draw = capture.drawOfStep.get(step), writes = capture.writes(step), words = capture.words(step);
        const fields = el("div.card", null, el("h3", null, "Fields"), el("p.dim", null, "…"));
        if (words.length && !(capture.kind(step) & KIND.damage)) capture.details(step).then((details) => this.fields(fields, details, writes.length > 0));
        else fields.hidden = true;
        return [
            el("div.head", null, this.back(), el("h2", null, capture.name(step)), el("span.dim", null, `#${step}`),
                el("span.step.no-print", null, step > 0 && el("a", { href: `#packets/${step - 1}`, title: "The previous packet" }, "◂ previous"), " ", step + 1 < capture.steps && el("a", { href: `#packets/${step + 1}`, title: "The next packet" }, "next ▸"))),
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
        // In packets that set registers, the register names show the offset.
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

    /** The fields in one line: those that differ, with both values; without a word to compare with, those that are not 0. */
    said(register, value, before) {
        if (!register?.layout) return "";
        const name = (field, word) => { const bits = bitsOf(word, field[1], field[2]); return valueName(field, bits, this.capture.enums) ?? number(bits); };
        const fields = register.layout.fields.filter((field) => (before === null ? bitsOf(value, field[1], field[2]) : bitsOf(value, field[1], field[2]) !== bitsOf(before, field[1], field[2])));
        if (fields.length === 1 && fields[0][1] === 0 && fields[0][2] === 31 && !fields[0][6] && before === null) return "";
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

    /** A draw: its packet, and the registers that it runs with. */
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
                el("span.step.no-print", null, at > 0 && el("a", { href: `#draws/${at - 1}`, title: "The previous draw ([)" }, "◂ previous"), " ", at + 1 < capture.draws.length && el("a", { href: `#draws/${at + 1}`, title: "The next draw (])" }, "next ▸"))),
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
        if (!draw.roll) return el("div.card", null, el("h3", null, "Context"), el("p", null, draw.dispatch ? "A dispatch uses no context." : "It continues with the context of the previous draw."));
        const { source, changed, redundant, live, stalls } = draw.roll, names = (list) => list.map((addr, i) => [i > 0 && ", ", this.registerLink(this.capture.registerName(Number(addr)))]);
        return el("div.card", null, el("h3", null, "Context"), el("dl.facts", null,
            el("dt", null, "new, by"), el("dd", null, source), el("dt", null, "in use"), el("dd", null, `about ${live} of 8`, stalls && el("span.error-text", null, ", none was free: the front end waits")),
            el("dt", null, "changed"), el("dd", null, changed.length ? [changed.length, ": ", names(changed)] : "none: the new context holds what the old one held"),
            el("dt", null, "redundant"), el("dd", null, redundant.length ? el("details", null, el("summary", null, count(redundant.length, "register")), names(redundant)) : "none")));
    }

    finding(i) {
        const { capture } = this, f = capture.findings[i], rule = capture.head.rules[f.code], rest = el("div.finding", null, el("p.dim", null, "…"));
        capture.findingDetails(i).then((details) => fill(rest, this.findingDetails(f, details, rule)));
        const many = f.count > 1 && el("span.dim", null, `${f.count} times, the first one here`, f.last_draw !== undefined && [", the last one at ", this.drawLink(f.last_draw)]);
        const links = [f.draw !== undefined && capture.draws[f.draw] && [", ", this.drawLink(f.draw)], f.register && [", register ", this.registerLink(f.register), f.field && `.${f.field}`]];
        return [
            el("div.head", null, this.back(), el(`span.severity.${f.severity}`, null, f.severity), f.code && el("span.mono", null, f.code), rule && el("span.dim", null, rule.title)),
            el("p.message", null, f.message), many,
            f.step !== null && el("p", null, this.packetLink(f.step, `${f.packet ?? capture.name(f.step)} #${f.step}`), " ", this.place(f.step), links),
            rest,
        ];
    }

    /** The details of a finding that the list omits. */
    findingDetails(f, more, rule) {
        const source = (more.text ?? "").split("\n").slice(1).filter((line) => !/^\s+(-->|\S\s+(note|help|source|register|field)\b)/.test(line)).join("\n").trimEnd();
        return [
            f.step === null && el("p", null, el("span.dim", null, `${more.file} dword ${more.dword}`), f.draw !== undefined && this.capture.draws[f.draw] && [", ", this.drawLink(f.draw)], f.register && [", register ", this.registerLink(f.register)]),
            source && el("pre", null, source),
            more.notes?.length && el("div.card", null, el("h3", null, "Notes"), el("ul", { style: "padding-left:18px" }, more.notes.map((note) => el("li.wrap", null, note.text, note.step !== undefined && note.step !== null && [" ", this.packetLink(note.step)], note.register && [" ", this.registerLink(note.register)])))),
            more.help && el("div.card", null, el("h3", null, "What to do"), el("p.wrap", null, more.help)),
            rule && el("div.card", null, el("h3", null, "Explanation"), el("p.wrap", null, rule.explanation)),
            more.source && el("p.dim.wrap", null, `Source: ${more.source}`),
        ];
    }

    /** A register and all writes of it. */
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
        // One finding of each kind: the same mistake in many places is a single thing to look at.
        const kinds = new Map();
        for (const i of bad.length ? bad : capture.order) push(kinds, `${capture.findings[i].severity} ${capture.findings[i].code ?? i}`, i);
        const first = [...kinds.values()].slice(0, 8);
        const verdict = () => {
            if (!capture.isRun) return capture.findings.length ? `The streams are damaged in ${count(capture.findings.length, "place")}.` : "All packets are decoded; nothing is damaged.";
            if (s.errors) return `${count(s.errors, "error")}, ${count(s.warnings, "warning")}, ${count(s.infos, "info")}.`;
            return s.warnings ? `No errors; ${count(s.warnings, "warning")}, ${count(s.infos, "info")}.` : `No errors and no warnings; ${count(s.infos, "info")}.`;
        };
        return [
            el("div.card", null, el("h3", null, bad.length ? "Look at these first" : "Verdict"), el("p.message", { style: "margin-bottom:8px" }, verdict()), first.length > 0 && el("div.first", null, first.map((list) => this.findingLine(list[0], list.length - 1))), capture.findings.length > first.length && el("p", { style: "margin-top:8px" }, el("a", { href: "#findings" }, `all ${capture.findings.length}`))),
            el("div.columns", null,
                capture.isRun && el("div.card", null, el("h3", null, "Queues"), el("div.scroll", null, this.queueTable())),
                el("div.card", null, el("h3", null, capture.isRun ? "What ran" : "Contents"), el("dl.facts", null, this.facts())),
                head.lines && el("div.card", null, el("h3", null, "What was read"), head.lines.map((line) => el("p.wrap", null, line))),
                el("div.card", null, el("h3", null, "Buffers"), el("div.scroll", null, el("table", null, el("tr", null, ["name", "address", "dwords"].map((name) => el("th", null, name))), head.buffers.map((buffer) => el("tr", null, el("td.wrap", { title: buffer.name }, baseName(buffer.name)), el("td.mono", null, buffer.addr ?? "—"), el("td.number", null, buffer.dwords.toLocaleString("en")))))))),
        ];
    }

    /** Why it hung: the engines and their packets, the draw in flight, the pending waits, the page fault and the findings, likeliest first. */
    hang() {
        const { capture } = this, { hang, incidents } = capture.head, log = incidents ? incidentCards(incidents) : [];
        if (!hang) return log;
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
            if (told.finding !== undefined) return el(`a.${told.severity}`, { href: `#findings/${capture.placeOf[told.finding]}` }, line);
            return told.step === undefined ? el("div", null, line) : el(`a.${told.severity}`, { href: `#packets/${told.step}` }, line);
        };
        const draw = capture.draws[hang.draw] && hang.draw, fault = hang.fault;
        const card = (title, ...parts) => el("div.card", null, el("h3", null, title), parts);
        const lines = (list) => list.map((line) => el("p.wrap", null, line));
        return [
            log,
            card(`Ring ${hang.ring ?? "unknown"}: where the engines stood`,
                hang.fetched && el("p.wrap", null, `fetched up to dword ${hang.fetched.dword} of ${hang.fetched.buffer} (${hang.fetched.by})`),
                el("dl.facts", null, hang.engines.map(engine)), hang.engines.length === 0 && el("p.dim", null, "The dump does not show it."), lines(hang.wait?.sentences ?? []),
                hang.begun && el("p.wrap", null, hang.begun === "no" ? "The job has not begun." : "Perhaps the job has not begun."), lines(hang.notes)),
            card("Findings that can explain it, most likely first",
                hang.suspects.length ? el("div.first", null, hang.suspects.map(suspect)) : el("p", null, hang.job ? "None: the rules found no error and no warning up to the packet that was being executed." : "None: no words of the job were executed."),
                hang.not_reached > 0 && el("p.dim", null, `Left out: ${count(hang.not_reached, "finding")} about packets that were not reached.`)),
            hang.waits.length > 0 && card("What the registers say", lines(hang.waits)),
            fault && card("Page fault",
                el("p.wrap", null, el("span.mono", null, fault.address), fault.hub ? `, seen by ${fault.hub}, status ` : ", status ", el("span.mono", null, fault.status), fault.meaning && ` (${fault.meaning})`),
                fault.last_since_boot && el("p.dim", null, "The last one since boot, perhaps not of this job."),
                !fault.last_since_boot && fault.may_be_of_another_job && el("p.dim", null, "Perhaps not of this job."), lines(fault.near)),
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
            list("Context registers written with the same value", redundant, named, (addr) => `#registers/${encodeURIComponent(named(addr))}`),
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
