// Starts the page of packets with the data that is in it.

(async () => {
    theme.start();
    const app = document.getElementById("app");
    if (!("DecompressionStream" in window)) {
        fill(app, el("p.loading", null, "This browser cannot unpack the data: it needs DecompressionStream (Chromium 80, Firefox 113, Safari 16.4, or later)."));
        return;
    }
    fill(app, el("p.loading", null, "…"));
    try {
        window.page = new App(await Capture.load());
    } catch (error) {
        fill(app, el("p.loading.error-text", null, `The data of this page is damaged: ${error.message}`));
        throw error;
    }
    document.documentElement.dataset.ready = "yes";
})();
