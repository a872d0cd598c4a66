// The manual within the page: its pages come from the worker, and are shown in a shadow tree with their own style sheet.

class ManualView {
    /** `ask` sends a request to the worker, `go` opens a path of the manual. */
    constructor(root, ask, go) {
        Object.assign(this, { ask, go, host: el("div.manual") });
        root.append(this.host);
        this.tree = this.host.attachShadow({ mode: "open" });
        this.ready = Promise.all([blockText("manual_look"), ask("search")]).then(([look, { blocks }]) => {
            const sheet = new CSSStyleSheet();
            // The first style of the page is that of all pages.
            sheet.replaceSync(document.querySelector("style").textContent + look);
            this.tree.adoptedStyleSheets = [sheet];
            this.list = JSON.parse(new TextDecoder().decode(blocks[0][1]));
        });
        this.tree.addEventListener("click", (event) => {
            const link = event.target.closest("a[href]");
            if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            const to = new URL(link.getAttribute("href"), `file:///${this.path}`);
            this.go(to.pathname.slice(1) + to.hash);
        });
    }

    /** Shows the page at a path, scrolled to the anchor after its #. */
    async show(to) {
        const [path, place] = to.split("#");
        await this.ready;
        if (path !== this.path) {
            const { head, blocks } = await this.ask(path);
            if (head.kind === "error") return head.message;
            this.path = path;
            this.title = head.title;
            // Text of the library's own tables: nothing in it comes from an input.
            this.tree.innerHTML = new TextDecoder().decode(blocks[0][1]);
            this.tree.getElementById("buttons").append(theme.button());
            this.search = manualSearch(this.tree, path.includes("/") ? "../" : "", this.list);
        }
        const target = place && this.tree.getElementById(decodeURIComponent(place));
        if (target) target.scrollIntoView();
        else this.host.parentElement.scrollTop = 0;
        return null;
    }
}
