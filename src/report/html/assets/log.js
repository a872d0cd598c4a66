// The page of a log, which has no packets.

/** Shows the incidents of a log; `tools` are buttons of the surrounding page. */
function showLog(root, told, tools = []) {
    fill(root, el("header.log", null, el("h1", null, told.files.map(baseOf).join(", ")), el("span.grow"), el("span.buttons.no-print", null, tools, theme.button())),
        el("main.log", null, incidentCards(told), told.lines.length > 0 && el("div.card", null, el("h3", null, "What was read"), told.lines.map((line) => el("p.wrap", null, line)))));
}
