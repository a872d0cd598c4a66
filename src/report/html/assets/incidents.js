// What went wrong according to a log: the verdict, and a timeline of the log's events. Used by the page of a run and by a page of its own.

/** The verdict and the timeline as cards; `told` is the record of the incidents. */
function incidentCards(told) {
    const card = (title, ...parts) => el("div.card", null, el("h3", null, title), parts);
    const text = told.verdict.join("\n");
    const verdict = text && el("div.card", null, el("div.titled", null, el("h3", null, "What went wrong"), copyButton(text)), el("pre.verdict", { tabindex: 0, "aria-label": "The verdict" }, text));
    if (told.events.length === 0) return [verdict];
    return [verdict, card("Timeline of the log", timelineChart(told), el("div.scroll", null, eventTable(told)),
        told.count > told.events.length && el("p.dim", null, `and ${count(told.count - told.events.length, "more event")}`))];
}

/** The position of an event: seconds after the first event of its clock, or its index in the list if it has no time. */
function eventPlaces(events) {
    const timed = events.every((event) => event.micros !== undefined && event.clock === events[0].clock);
    const first = timed ? Math.min(...events.map((event) => event.micros)) : 0;
    return { timed, at: events.map((event, i) => (timed ? (event.micros - first) / 1e6 : i)) };
}

/** A lane for each incident, and one for events outside all incidents. */
function timelineChart(told) {
    const { timed, at } = eventPlaces(told.events);
    const length = Math.max(...at) || 1;
    const lanes = [...new Set(told.events.map((event) => event.incident ?? -1))].sort((a, b) => a - b);
    const lane = (number) => el("div.lane", null,
        el("div.name.wrap", null, number < 0 ? "other lines" : [told.incidents.length > 1 && `incident ${number}: `, told.incidents[number].name, told.incidents[number].follows !== null && el("span.dim", null, ` (an effect of incident ${told.incidents[number].follows})`)]),
        el("div.track", null, told.events.map((event, i) => (event.incident ?? -1) === number && el(`button.dot.${event.kind}`, {
            style: `left:${(100 * at[i]) / length}%`, title: `${event.time ?? `line ${event.line}`}: ${event.text}`, "aria-label": `line ${event.line}: ${event.text}`,
            onclick: () => showEvent(i),
        }))));
    const end = timed ? `${length.toLocaleString("en", { maximumFractionDigits: 3 })} s later` : `line ${told.events[told.events.length - 1].line}`;
    return el("div.lanes", null, lanes.map(lane), el("div.lane", null, el("div.name"), el("div.scale.dim", null, el("span", null, timed ? told.events[at.indexOf(0)].time ?? "0 s" : `line ${told.events[0].line}`), el("span", null, end))));
}

function showEvent(number) {
    const row = document.getElementById(`event-${number}`);
    document.querySelectorAll("tr.event.chosen").forEach((other) => other.classList.remove("chosen"));
    row?.classList.add("chosen");
    row?.scrollIntoView({ block: "nearest" });
}

/** The events, one row each. */
function eventTable(told) {
    const { timed, at } = eventPlaces(told.events);
    const several = told.files.length > 1, gpus = new Set(told.events.map((event) => event.gpu).filter(Boolean)).size > 1;
    const head = ["line", "time", timed && "seconds", gpus && "GPU", told.incidents.length > 1 && "incident", "what"].filter(Boolean);
    return el("table.events", null, el("tr", null, head.map((name) => el("th", null, name))), told.events.map((event, i) => el("tr.event", { id: `event-${i}` },
        el("td.number", null, several && `${baseOf(told.files[event.file])}:`, event.line), el("td.mono.nowrap", null, event.time ?? "—"), timed && el("td.number.mono", null, `+${at[i].toFixed(3)}`),
        gpus && el("td.mono.nowrap", null, event.gpu ?? "—"), told.incidents.length > 1 && el("td.number", null, event.incident ?? "—"),
        el("td.wrap", null, el(`span.mark.${event.kind}`), event.text))));
}

const baseOf = (path) => path.replace(/^.*[/\\]/, "");
