// Starts a page of the manual; `FOUND_IN` is in search.js.

(() => {
    const input = manualSearch(document, document.documentElement.dataset.up ?? "", FOUND_IN);
    theme.start();
    const help = keys([
        [["/"], "search", () => input.focus()],
        [["↓", "↑", "Enter"], "in the search: choose, go"],
        [["t"], "light, dark, as the system", () => theme.next()],
    ]);
    document.getElementById("buttons").append(theme.button(), " ", el("button", { onclick: help, title: "Keys (?)", "aria-label": "Keys" }, "?"));
    document.documentElement.dataset.ready = "yes";
})();
