// Starts the page of a run on a device without a GPU.

(async () => {
    theme.start();
    const app = document.getElementById("app");
    if (!("DecompressionStream" in window)) {
        fill(app, el("p", null, "This browser cannot unpack the data: it needs DecompressionStream (Chromium 80, Firefox 113, Safari 16.4, or later)."));
        return;
    }
    const told = JSON.parse(await blockText("head"));
    window.page = { told };
    showLive(app, told);
    document.documentElement.dataset.ready = "yes";
})();
