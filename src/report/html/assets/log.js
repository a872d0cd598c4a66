// The page of a log, which has no packets.

(async () => {
    theme.start();
    const app = document.getElementById("app");
    if (!("DecompressionStream" in window)) {
        fill(app, el("p", null, "This browser cannot unpack the data: it needs DecompressionStream (Chromium 80, Firefox 113, Safari 16.4, or later)."));
        return;
    }
    const told = JSON.parse(await blockText("head"));
    window.page = { told };
    fill(app, el("header.log", null, el("h1", null, told.files.map(baseOf).join(", ")), el("span.grow"), theme.button()),
        el("main.log", null, incidentCards(told), told.lines.length > 0 && el("div.card", null, el("h3", null, "What was read"), told.lines.map((line) => el("p.wrap", null, line)))));
    document.documentElement.dataset.ready = "yes";
})();
