// Starts the page of a log with its embedded data.

startPage(async (app) => {
    const told = JSON.parse(await blockText("head"));
    window.page = { told };
    showLog(app, told);
});
