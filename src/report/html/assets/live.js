// The page of a program that ran on a device without a GPU: its submissions and their findings.

/** The display names of metrics. */
const metricNames = { context_rolls: "context rolls", redundant: "redundant writes" };

/** Draws a metric over the submissions: each column of pixels shows the largest value of its rows. */
function drawMetric(canvas, rows, of, isBad) {
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [Math.max(1, Math.round(canvas.clientWidth * scale)), Math.round(canvas.clientHeight * scale)];
    [canvas.width, canvas.height] = [width, height];
    const most = rows.reduce((most, row) => Math.max(most, of(row)), 0);
    // The style sheet gives a chart two colours: a script can read the resolved light or dark colour only from ordinary properties, not from variables.
    const { color: plain, columnRuleColor: bad } = getComputedStyle(canvas);
    const pen = canvas.getContext("2d");
    for (let x = 0; x < width; x++) {
        const first = Math.floor((x * rows.length) / width);
        const last = Math.max(first + 1, Math.floor(((x + 1) * rows.length) / width));
        const part = rows.slice(first, last);
        const value = part.reduce((most, row) => Math.max(most, of(row)), 0);
        if (value === 0) continue;
        pen.fillStyle = part.some(isBad) ? bad : plain;
        const tall = Math.max(scale, (value / most) * height);
        pen.fillRect(x, height - tall, 1, tall);
    }
    return most;
}

/** The lanes of all metrics, and a line with the values under the pointer or at the keyboard position. */
function metricLanes({ metrics, rows, each, submissions }) {
    const said = el("p.dim", { role: "status" }, "Point at a chart, or choose a place with the arrow keys.");
    let at = 0;
    const say = () => {
        const [first, last] = [at * each, Math.min(submissions, (at + 1) * each) - 1];
        const values = metrics.map((name, i) => `${rows[at][0][i].toLocaleString("en")} ${metricNames[name] ?? name}`);
        fill(said, `${first === last ? `Submission ${first}` : `Submissions ${first} to ${last}`}: ${values.join(", ")}`);
    };
    const choose = (to) => {
        at = Math.min(rows.length - 1, Math.max(0, to));
        say();
    };
    const keys = { ArrowRight: 1, ArrowLeft: -1, PageDown: 50, PageUp: -50 };
    const lanes = metrics.map((name, i) => {
        const canvas = el("canvas.metric", {
            tabindex: "0", role: "img", "aria-label": `${metricNames[name] ?? name} over the submissions`,
            onmousemove: (event) => choose(Math.floor((event.offsetX / canvas.clientWidth) * rows.length)),
            onkeydown: (event) => {
                if (!(event.key in keys)) return;
                event.preventDefault();
                choose(at + keys[event.key]);
            },
        });
        const most = el("span.dim");
        const draw = () => fill(most, `${drawMetric(canvas, rows, (row) => row[0][i], (row) => name === "findings" && row[1] > 0).toLocaleString("en")} at most`);
        new ResizeObserver(draw).observe(canvas);
        document.addEventListener("theme", draw);
        return el("div.metric-lane", null, el("div", null, el("div", null, metricNames[name] ?? name), most), canvas);
    });
    return [lanes, said];
}

/** Findings of one code. */
function foundCode(group) {
    const title = [el(`span.severity.${group.severity}`, null, group.severity), " ", group.code, ` ${count(group.count, "time")} in ${count(group.submissions, "submission")}, first in submission ${group.first}`];
    return el("details", null, el("summary", null, title, group.known && el("span.dim", null, ` known: ${group.known}`)), el("pre.wrap", null, group.text));
}

/** Shows a run. */
function showLive(root, told) {
    const { profile, groups } = told;
    const facts = [count(profile.submissions, "submission"), count(told.processes, "process", "processes"), count(told.ioctls, "ioctl"), count(told.errors, "error"), count(told.warnings, "warning"), `${told.known} known`];
    fill(root, el("header.log", null, el("h1", null, "pm4 live"), el("span.pill", null, told.chip), el("span.grow"), theme.button()),
        el("main.log", null,
            el("div.card", null, el("p", null, facts.join(" · "))),
            el("div.card", null, el("h3", null, profile.each > 1 ? `Submissions, ${profile.each} in a step` : "Submissions"),
                profile.rows.length > 0 ? metricLanes(profile) : el("p.dim", null, "The program has submitted nothing.")),
            el("div.card", null, el("h3", null, "Findings"), groups.length > 0 ? groups.map(foundCode) : el("p.dim", null, "Nothing was found."))));
}
