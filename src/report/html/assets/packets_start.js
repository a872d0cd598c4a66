// Starts the page of packets with its embedded data.

startPage(async (app) => {
    fill(app, el("p.loading", null, "…"));
    try {
        window.page = new App(await Capture.load());
    } catch (error) {
        fill(app, el("p.loading.error-text", null, `The data of this page is damaged: ${error.message}`));
        throw error;
    }
});
