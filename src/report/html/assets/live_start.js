// Starts the page of a run on a device without a GPU.

startPage(async (app) => {
    const told = JSON.parse(await blockText("head"));
    window.page = { told };
    showLive(app, told);
});
