// Uses the page as a person would, in headless Chromium: chooses and drops files, reads the verdict, and compares it with the program's output. An error in the
// console, a request that leaves the page, a layout wider than the window and a wait beyond its limit are failures.
//
//     node web/tests/run.mjs PAGE.html FOLDER-OF-PROGRAMS [FOLDER-OF-INPUTS...]
//
// With PM4_TIMES=report it reports durations without failing on them, for busy machines.
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { Chromium } from "../../tests/browser/chromium.mjs";

const WIDTHS = [[360, 760], [1280, 860], [2560, 1300]];
const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const [page, programs, ...inputs] = process.argv.slice(2).map((path) => resolve(path));
const browser = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
if (!programs || !browser) {
    console.error(programs ? "Chromium is not installed" : "usage: run.mjs PAGE.html FOLDER-OF-PROGRAMS [FOLDER-OF-INPUTS...]");
    process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "pm4-web-"));
const at = (name) => join(folder, name);
const url = pathToFileURL(page).href;
const strict = process.env.PM4_TIMES !== "report";
const times = [];

function check(holds, what) {
    if (!holds) throw new Error(what);
}

function within(what, took, most) {
    times.push(`${what} ${Math.round(took)} ms of ${most}`);
    check(!strict || took <= most, `${what} takes ${Math.round(took)} ms, not ${most}`);
}

/** Runs the program: its status, output and error text. */
function run(directory, ...list) {
    const { status, stdout, stderr } = spawnSync(join(programs, "check"), list, { cwd: directory, encoding: "utf8", maxBuffer: 1 << 29 });
    return { status, stdout, stderr };
}

async function session(chromium, size, dark, use) {
    const tab = await chromium.page(...size, dark);
    try {
        await tab.open(url);
        await use(tab);
        check(!tab.problems.length, `the console says: ${tab.problems.join("; ")}`);
        const foreign = tab.requests.filter((request) => request.split("#")[0] !== url && !/^(data|blob):/.test(request));
        check(!foreign.length, `requests leave the page: ${foreign.join(", ")}`);
    } catch (error) {
        const shot = join(tmpdir(), "pm4-web-failure.png");
        writeFileSync(shot, await tab.screenshot().catch(() => Buffer.alloc(0)));
        throw new Error(`at ${size.join(" x ")}: ${error.message} (${shot} shows it)`);
    } finally {
        await tab.close();
    }
}

/** Chooses files with the button. */
async function choose(tab, files, input = "input[type=file]:not([webkitdirectory])") {
    await tab.get("shell.start()");
    await tab.get("delete document.documentElement.dataset.shown");
    await tab.send("DOM.getDocument", {});
    const { result } = await tab.send("Runtime.evaluate", { expression: `document.querySelector(${JSON.stringify(input)})` });
    await tab.send("DOM.setFileInputFiles", { files, objectId: result.objectId });
}

/** Waits until the page shows one of: check, text, trouble or chip. */
async function shown(tab, patience = 60_000) {
    for (const begun = Date.now(); Date.now() - begun < patience; await new Promise((wait) => setTimeout(wait, 10))) {
        const what = await tab.get("document.documentElement.dataset.shown ?? ''");
        if (what) return what;
    }
    throw new Error("nothing is shown");
}

/** Checks that nothing is wider than the window. */
async function fits(tab, where) {
    const wide = await tab.get("[document.documentElement, ...document.querySelectorAll('body, header, main, .list, .detail, .page')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => `${e.tagName} ${e.className}: ${e.scrollWidth} pixels in ${e.clientWidth}`)");
    check(!wide.length, `${where} is wider than the window: ${wide.join(", ")}`);
}

/** Checks that each focusable element and each part of the page has a name. */
async function names(tab, where) {
    const { nodes } = await tab.send("Accessibility.getFullAXTree", {});
    const roles = ["button", "link", "textbox", "searchbox", "combobox", "spinbutton", "progressbar", "navigation", "listbox", "region", "dialog"];
    const nameless = nodes.filter((node) => !node.ignored && roles.includes(node.role?.value) && !node.name?.value?.trim());
    check(!nameless.length, `${where}: a screen reader has no name for ${nameless.map((node) => node.role.value).join(", ")}`);
}

/** The verdict on the page; empty if it has none. */
const VERDICT = "document.querySelector('pre.verdict')?.textContent ?? ''";

/** Inputs in a folder, one at a time: the page shows the output of the program, byte for byte. */
async function same(chromium, directory) {
    const files = readdirSync(directory).filter((name) => statSync(join(directory, name)).isFile() && !name.startsWith(".")).sort();
    let verdicts = 0, refused = 0;
    await session(chromium, WIDTHS[1], false, async (tab) => {
        for (const name of files) {
            const chip = run(directory, name).stderr.includes("name it with --chip") ? ["--chip", "navi31"] : [];
            const whole = run(directory, ...chip, name);
            await choose(tab, [join(directory, name)]);
            let what = await shown(tab);
            if (chip.length) {
                check(what === "chip", `${name}: the page does not ask for the chip, which nothing says: ${what}`);
                await tab.get("delete document.documentElement.dataset.shown; document.querySelector('form select').value = 'navi31'; document.querySelector('form').requestSubmit()");
                what = await shown(tab);
            }
            if (whole.status === 2) {
                check(what === "trouble", `${name}: the program refuses it (${whole.stderr.trim()}), the page does not`);
                const told = await tab.get("document.querySelector('[role=alert]').textContent");
                const wanted = whole.stderr.trim().replace(/^check: /, "").replace(". Name the form with --input, or remove text before the dump", "");
                check(told.includes(wanted), `${name}: the page says ${told}, not ${wanted}`);
                refused++;
                continue;
            }
            check(what === "check", `${name}: the program reads it, the page shows ${what}: ${await tab.get("document.querySelector('#app').textContent.slice(0, 300)")}`);
            const printed = await tab.get("document.querySelector('pre.whole')?.textContent ?? null");
            if (printed !== null) {
                check(printed === whole.stdout, `${name}: the text that the page shows is not what the program prints`);
                continue;
            }
            const { stdout } = run(directory, ...chip, "--brief", name);
            const verdict = await tab.get(VERDICT);
            check(verdict === stdout.replace(/\n$/, ""), `${name}: the page says\n${verdict}\nand the program\n${stdout}`);
            verdicts += verdict ? 1 : 0;
            const text = await tab.get(`shell.thread.ask({ do: "text", chip: ${chip.length ? '"navi31"' : "null"} }, []).then(({ blocks }) => new TextDecoder().decode(blocks[0][1]))`);
            check(text === whole.stdout, `${name}: the text of the page is not what the program prints`);
        }
    });
    return `${files.length} inputs, ${verdicts} verdicts, ${refused} refused`;
}

/** Files of the repository that need no other file. */
function samples() {
    const made = at("samples");
    mkdirSync(made);
    for (const name of readdirSync(join(root, "docs")).filter((name) => name.endsWith(".txt"))) writeFileSync(join(made, name), readFileSync(join(root, "docs", name)));
    for (const family of readdirSync(join(root, "tests/captures")).filter((name) => statSync(join(root, "tests/captures", name)).isDirectory())) {
        const bins = readdirSync(join(root, "tests/captures", family)).filter((name) => name.endsWith(".bin")).sort();
        for (const name of bins.slice(0, 2)) writeFileSync(join(made, `${family}-${name}`), readFileSync(join(root, "tests/captures", family, name)));
    }
    // Hostile and damaged inputs.
    const hang = readFileSync(join(root, "docs/hang.txt"));
    const line = (text) => `[  814.500000] amdgpu 0000:03:00.0: amdgpu: ${text}\n`;
    const files = {
        "<img src=x onerror=alert(1)>&quot;'.txt": line("ring gfx_0.0.0 timeout, signaled seq=11, emitted seq=13") + line(" Process <img src=x onerror=alert(1)> pid 4242 thread </pre><script>alert(1)</script> pid 4243"),
        "empty.bin": "", "one.bin": "\x01", "odd.bin": Buffer.from([0, 0x10, 0xff, 0xff, 0x80]), "zeros.bin": Buffer.alloc(1 << 16), "ones.bin": Buffer.alloc(1 << 16, 255),
        "random.bin": Buffer.from(Array.from({ length: 1 << 14 }, (_, i) => (Math.imul(i, 2654435761) >>> 13) & 255)),
        "cut.gz": gzipSync(hang).subarray(0, 3000), "hang.txt.gz": gzipSync(hang), "twice.gz": gzipSync(gzipSync(hang)), "cut.txt": hang.subarray(0, hang.length >> 1),
        "bomb.gz": gzipSync(Buffer.alloc(1 << 20)), "letter.txt": "Dear all,\nmy computer does not start any more. What can I do?\n".repeat(20), "picture.png": Buffer.from("\x89PNG\r\n\x1a\n0000000000000000", "latin1"),
        "fake.zip": "PK\x03\x04" + "x".repeat(500), "nul.txt": line("ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2").replace("ring", "\0ring"),
        "long-line.txt": `amdgpu: ring gfx timeout ${"a".repeat(1 << 20)}\n`,
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(made, name), content);
    return made;
}

/** A log with a page fault, a timeout and a reset. */
const LOG = [["812.1", "[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:1)"], ["812.2", "  in page starting at address 0x0000000012345000 from client 10"], ["814.5", "ring gfx_0.0.0 timeout, signaled seq=11, emitted seq=13"], ["815.0", "GPU reset begin!. Source:  1"], ["816.1", "GPU reset(1) succeeded!"]]
    .map(([time, text]) => `[  ${time}00000] amdgpu 0000:03:00.0: amdgpu: ${text}\n`).join("");

/** The page with the keyboard only and in all sizes: the first view, a log, a dump and its parts. */
async function views(chromium) {
    const log = at("log.txt");
    const grounds = new Set();
    for (const size of WIDTHS) {
        for (const dark of [false, true]) {
            await session(chromium, size, dark, async (tab) => {
                grounds.add(await tab.get("getComputedStyle(document.body).backgroundColor"));
                await fits(tab, "the first view");
                await names(tab, "the first view");
                await choose(tab, [log]);
                check((await shown(tab)) === "check", "a log is shown");
                await fits(tab, "a log");
                await names(tab, "a log");
                await choose(tab, [join(root, "docs/hang.txt")]);
                check((await shown(tab)) === "check", "a dump is shown");
                for (const part of await tab.get("page.tabs.map(([, title]) => title)")) {
                    await tab.click("nav a", part);
                    await tab.until(`document.querySelector('nav a[aria-current]').textContent.startsWith(${JSON.stringify(part)})`);
                    await fits(tab, part);
                    if (size === WIDTHS[1]) await names(tab, part);
                }
                await tab.click("#bar button", "Dump");
                await tab.until("document.documentElement.dataset.shown === 'dump'");
                await fits(tab, "the packets of a dump");
                await tab.click("#bar button", "Text");
                await tab.until("document.documentElement.dataset.shown === 'text'");
                await fits(tab, "text");
                await tab.click("#bar button", "Manual");
                await tab.until("document.documentElement.dataset.shown === 'manual'");
                await fits(tab, "the manual");
                await names(tab, "the manual");
                await tab.get("location.hash = 'manual/register/DB_SHADER_CONTROL.html'");
                await tab.until("document.querySelector('.manual')?.shadowRoot.querySelector('h1').textContent === 'DB_SHADER_CONTROL'", "a register of the manual");
                await fits(tab, "a register of the manual");
                await tab.press("/");
                await tab.send("Input.insertText", { text: "cb_color0_info" });
                await tab.until("document.querySelector('.manual').shadowRoot.querySelectorAll('#found a').length > 0", "the search of the manual");
                await tab.press("Enter");
                await tab.until("location.hash.startsWith('#manual/') && !location.hash.includes('DB_SHADER_CONTROL.html')", "what was found");
                await tab.click("#bar button", "Check");
                await tab.until("document.documentElement.dataset.shown === 'check'");
            });
        }
    }
    check(grounds.size === 2, "light and dark look the same");
    await session(chromium, WIDTHS[1], false, async (tab) => {
        // Starts at the first focusable element: pastes the text, and reads it with a key.
        for (let i = 0; i < 12 && (await tab.get("document.activeElement.id")) !== "paste"; i++) await tab.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 });
        check((await tab.get("document.activeElement.id")) === "paste", "the key Tab leads to the box for text");
        await tab.send("Input.insertText", { text: readFileSync(log, "utf8") });
        await tab.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Enter", windowsVirtualKeyCode: 13, modifiers: 2 });
        check((await shown(tab)) === "check" && (await tab.get(VERDICT)).startsWith("ring gfx_0.0.0 timed out"), "text that is pasted is read");
        // The copy button copies the text shown.
        await chromium.send("Browser.grantPermissions", { permissions: ["clipboardReadWrite", "clipboardSanitizedWrite"] });
        await tab.get("window.copied = null; navigator.clipboard.writeText = async (text) => { window.copied = text; }");
        await tab.click(".copy button", "Copy");
        await tab.until("window.copied");
        check((await tab.get("window.copied")) === (await tab.get(VERDICT)), "Copy copies the verdict");
    });
    return "three sizes, light and dark, keyboard";
}

/** Several files, a folder, dropped files, a comparison, and one unreadable file among others. */
async function together(chromium) {
    const hang = join(root, "docs/hang.txt"), log = at("log.txt"), report = at("report");
    mkdirSync(report);
    const trace = "c0012d00\n00000003\n00000002\n";
    writeFileSync(join(report, "trace.log"), trace);
    writeFileSync(join(report, "dmesg.log"), readFileSync(log));
    writeFileSync(join(report, "other.spv"), "x");
    await session(chromium, WIDTHS[1], false, async (tab) => {
        await choose(tab, [log, hang]);
        check((await shown(tab)) === "check", "a log and a dump are shown");
        const both = spawnSync(join(programs, "check"), ["--brief", log, hang], { encoding: "utf8" }).stdout;
        check((await tab.get(VERDICT)) === both.trimEnd(), `a log and a dump: ${await tab.get(VERDICT)}\nnot\n${both}`);
        await choose(tab, [log, join(folder, "samples/picture.png")]);
        check((await shown(tab)) === "check", "what can be read is shown");
        check((await tab.get("document.body.textContent")).includes("picture.png looks like an image"), "the page says what it could not read");
        // Dropped.
        await tab.get("shell.start(); delete document.documentElement.dataset.shown");
        const data = { items: [], files: [hang], dragOperationsMask: 1 };
        for (const type of ["dragEnter", "dragOver", "drop"]) await tab.send("Input.dispatchDragEvent", { type, x: 400, y: 300, data });
        check((await shown(tab)) === "check", "a file that is dropped is read");
        // Two files of the same kind.
        const families = join(root, "tests/captures/navi31"), two = readdirSync(families).filter((name) => name.startsWith("draw_")).sort().slice(0, 2).map((name) => join(families, name));
        await choose(tab, two);
        check((await shown(tab)) === "chip", "words do not say their chip");
        await tab.get("delete document.documentElement.dataset.shown; document.querySelector('form select').value = 'navi31'; document.querySelector('form').requestSubmit()");
        await shown(tab);
        await tab.click("#bar button", "Compare");
        await tab.until("document.documentElement.dataset.shown === 'diff'");
        const wanted = spawnSync(join(programs, "check"), ["--chip", "navi31", "--diff", ...two.map((path) => basename(path))], { cwd: families, encoding: "utf8" }).stdout;
        check((await tab.get("document.querySelector('pre.whole').textContent")) === wanted, "a comparison says something else than the program");
    });
    const { stdout, stderr, status } = run(folder, "--brief", "report");
    check(status < 2, stderr);
    await session(chromium, WIDTHS[1], false, async (tab) => {
        await choose(tab, [report], "input[webkitdirectory]");
        check((await shown(tab)) === "check", "a folder of RADV is shown");
        check((await tab.get(VERDICT)) === stdout.trimEnd(), `a folder of RADV: ${await tab.get(VERDICT)}\nnot\n${stdout}`);
        check((await tab.get("document.querySelector('#app').textContent")).includes("not read: other.spv"), "the page does not say which files of the folder are not read");
    });
    return "several files, a folder, a drop, a comparison";
}

/** Durations, and canceling a long request. */
async function lengths(chromium) {
    const hang = join(root, "docs/hang.txt");
    await session(chromium, WIDTHS[1], false, async (tab) => {
        await choose(tab, [hang]);
        await shown(tab);
        within("the first verdict, from the start of the page", await tab.get("performance.now()"), 1000);
        const warm = [];
        for (let i = 0; i < 5; i++) {
            await choose(tab, [hang]);
            await shown(tab);
            warm.push(await tab.get("shell.took"));
        }
        within("a verdict after it", warm.sort((a, b) => a - b)[2], 100);
    });
    const log = at("long.txt"), file = openSync(log, "w");
    const lines = Array.from({ length: 10_000 }, (_, i) => `Nov 29 12:${String(Math.floor(i / 167) % 60).padStart(2, "0")}:${String(Math.floor(i / 3) % 60).padStart(2, "0")} host kernel: [${(1000 + i / 100).toFixed(6).padStart(12)}] ${["usb 1-2: new high-speed USB device number 7 using xhci_hcd", "audit: type=1400 apparmor=ALLOWED operation=open", "amdgpu 0000:03:00.0: amdgpu: SMU is resumed successfully!", "EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode"][i % 4]}\n`).join("");
    // The beginning of a log shows its kind.
    let length = writeSync(file, LOG);
    while (length < 100_000_000) length += writeSync(file, lines);
    writeSync(file, LOG.replaceAll("[  81", "[ 181"));
    closeSync(file);
    await session(chromium, WIDTHS[1], false, async (tab) => {
        const begun = Date.now();
        await choose(tab, [log]);
        await tab.until("document.querySelector('progress')", "a long file shows its progress");
        await names(tab, "progress");
        check((await shown(tab)) === "check", "a long log is read");
        within("a log of 100 MB", Date.now() - begun, 10_000);
        const { stdout } = run(folder, "--brief", "long.txt");
        check((await tab.get(VERDICT)) === stdout.trimEnd() && stdout.includes("ring gfx_0.0.0 timed out"), `a long log: ${await tab.get(VERDICT)}\nnot\n${stdout}`);
        await choose(tab, [log]);
        await tab.click("button", "Cancel");
        await tab.until("document.querySelector('#paste')", "Cancel leads to the first view");
        await choose(tab, [hang]);
        check((await shown(tab)) === "check", "another file is read after it");
    });
    return times.join("; ");
}

const chromium = await Chromium.start(browser);
try {
    // PM4_PARTS selects parts for work on one of them: inputs, views, together, times.
    const wanted = (part) => !process.env.PM4_PARTS || process.env.PM4_PARTS.split(",").includes(part);
    const made = samples();
    writeFileSync(at("log.txt"), LOG);
    for (const directory of [made, ...inputs].filter(() => wanted("inputs"))) console.log(`${directory}: ${await same(chromium, directory)}`);
    if (wanted("views")) console.log(`views: ${await views(chromium)}`);
    if (wanted("together")) console.log(`together: ${await together(chromium)}`);
    if (wanted("times")) console.log(`times: ${await lengths(chromium)}`);
} catch (error) {
    console.error(error.message);
    process.exitCode = 1;
} finally {
    await chromium.stop();
    rmSync(folder, { recursive: true, force: true });
}
