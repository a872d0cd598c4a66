// Starts the page of a log with the data that is in it.

startPage(async (app) => {
    const told = JSON.parse(await blockText("head"));
    window.page = { told };
    showLog(app, told);
});
