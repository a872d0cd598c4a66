// The page of a log, which has no packets.

/** Shows what a log says; `tools` are buttons of what the page is a part of. */
function showLog(root, told, tools = []) {
    fill(root, el("header.log", null, el("h1", null, told.files.map(baseOf).join(", ")), el("span.grow"), el("span.buttons.no-print", null, tools, theme.button())),
        el("main.log", null, incidentCards(told), told.lines.length > 0 && el("div.card", null, el("h3", null, "What was read"), told.lines.map((line) => el("p.wrap", null, line)))));
}
