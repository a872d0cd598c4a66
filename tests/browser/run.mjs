// Opens the pages in headless Chromium and uses them as a person would. A problem in the console, a request that leaves the page, a layout that is wider than
// the window, and a page that says something else than the program beside it are failures.
//
//     node tests/browser/run.mjs FOLDER-OF-PROGRAMS [--screenshots FOLDER]
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Chromium } from "./chromium.mjs";
import * as uses from "./uses.mjs";

const WIDTHS = [[360, 760], [1280, 860], [2560, 1300]];
const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const captures = join(root, "tests/captures");
const programs = process.argv[2] && resolve(process.argv[2]);
const screenshots = process.argv[3] === "--screenshots" ? resolve(process.argv[4]) : null;
const browser = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
if (!programs || !browser) {
    console.error(programs ? "Chromium is not installed" : "usage: run.mjs FOLDER-OF-PROGRAMS [--screenshots FOLDER]");
    process.exit(2);
}

/** Runs a program; findings in the input (status 1) are no failure here. */
function run(program, ...list) {
    try {
        return execFileSync(join(programs, program), list, { cwd: captures, encoding: "utf8", maxBuffer: 1 << 28 });
    } catch (error) {
        if (error.status === 1) return error.stdout;
        throw error;
    }
}

function check(holds, what) {
    if (!holds) throw new Error(what);
}

const folder = mkdtempSync(join(tmpdir(), "pm4-browser-"));
const at = (name) => join(folder, name);
const url = (path) => pathToFileURL(path).href;

/** Streams with a draw each, of several generations; and one that is broken, under a name that would be markup. */
function pages() {
    const cases = [["vega10", "vega10"], ["navi21", "navi21"], ["navi31", "navi31"]].map(([chip, family]) => {
        const files = readdirSync(join(captures, family)).filter((name) => name.endsWith(".bin")).sort();
        const draw = files.find((name) => name.startsWith("draw_pixel_ordered")) ?? files.find((name) => name.startsWith("draw_"));
        return { chip, name: family, files: [...files.filter((name) => name.startsWith("_gfx_initial") && name.includes("ib2")).slice(0, 1), draw].map((name) => `${family}/${name}`) };
    });
    const many = readdirSync(join(captures, "navi31")).filter((name) => name.startsWith("toggle") || name.startsWith("noattach_ramp") || name.startsWith("draw_")).slice(0, 12);
    cases.push({ chip: "navi31", name: "many", files: many.map((name) => `navi31/${name}`) });
    const hostile = at("<img src=x onerror=alert(1)>&quot;'.bin");
    // A context register, a draw, a packet that claims more than there is, a wait that nothing ends.
    const words = [0xc0016900, 0x203, 0x18600, 0xc0012d00, 3, 2, 0xc0053c00, 0x13, 0x1000, 0, 7, 0xffffffff, 4, 0xc0036900, 0x203, 0x18600];
    writeFileSync(hostile, Buffer.from(Uint32Array.from(words).buffer));
    cases.push({ chip: "navi31", name: "hostile", files: [hostile] });
    return cases;
}

/** A device coredump: a draw hangs that no shader can finish, after another; a page fault beside its target. */
function crash() {
    const words = [0xc0012d00, 3, 2, 0xc0016900, 0x203, 0x18600, 0xc0016901, 0x310, 4, 0xc0017600, 0xb, 0, 0xc0016900, 0x318, 0x2340, 0xc0012d00, 3, 2, 0xc0016900, 0x203, 0, 0xc0016900, 0x203, 0];
    const header = (word) => `regCP_ME_HEADER_DUMP                               \t 0x${word.toString(16).padStart(8, "0")}`;
    return [
        "**** AMDGPU Device Coredump ****", "version: 1", "kernel: 7.1.8", "HWIP: GC[1][0]: v11.0.0.0.0", "IP Type: 0 Ring Name: gfx_0.0.0",
        "[gfxhub] Page fault observed", "Faulty page starting at address: 0x0000000000234000", "Protection fault status register: 0x101131",
        "IP: gfx_v11_0", "regCP_STALLED_STAT2                                \t 0x00000800", "regCP_IB1_BASE_LO                                  \t 0x00200000",
        "regCP_IB1_BASE_HI                                  \t 0x00008001", "regCP_IB1_BUFSZ                                    \t 0x00000004",
        ...[0xc0016900, 0xc0016901, 0xc0017600, 0xc0016900, 0xc0012d00].map(header),
        `IB #0 0x800100200000 ${words.length} dw`, ...words.map((word) => `0x${word.toString(16).padStart(8, "0")}`), "",
    ].join("\n");
}

/** The page of a hang begins with its explanation, which says what the record says, and leads to packets, findings and the draw. */
async function hangPage(chromium) {
    const file = at("crash.txt"), page = at("crash.html");
    writeFileSync(file, crash());
    const hang = run("check", "--format", "json", "--html", page, file).trim().split("\n").map((line) => JSON.parse(line)).find((record) => record.type === "hang");
    check(hang.suspects.length > 0 && hang.draw !== undefined && hang.fault, "the dump tells a draw, a fault and findings");
    for (const size of WIDTHS) {
        await session(chromium, page, size, size[0] === 360, async (tab) => {
            await tab.until("page.tab === 'hang'", "the page begins with the hang");
            const text = await tab.get("document.querySelector('.detail').textContent");
            const first = hang.engines.find((engine) => engine.candidates.length).candidates[0];
            for (const part of [hang.ring, `dword ${first.dword}, ${first.opcode}`, hang.fault.address, hang.suspects[0].code, hang.suspects[0].message, ...hang.waits]) check(text.includes(part), `the page lacks ${part}`);
            const codes = await tab.get("[...document.querySelector('.first').querySelectorAll('.mono')].map((e) => e.textContent)");
            check(JSON.stringify(codes) === JSON.stringify(hang.suspects.map((suspect) => suspect.code)), `findings stand in another order: ${codes}`);
            await fits(tab, "hang");
            await tab.click("dl.facts a", first.opcode);
            await tab.until("page.tab === 'packets' && page.chosen !== ''", "the packet where an engine stood");
            const shown = await tab.get("[page.capture.name(Number(page.chosen)), page.capture.dword(Number(page.chosen))]");
            check(shown[0] === first.opcode && shown[1] === first.dword, `the link leads to ${shown}`);
            await tab.get("page.go('hang')");
            await tab.until("page.tab === 'hang'");
            await tab.click(".first a");
            await tab.until("page.tab === 'findings' && page.chosen !== ''", "a finding that can explain the hang");
            await tab.get("page.go('hang')");
            await tab.until("document.querySelector('details.block tr.register')", "the state of the draw in flight");
            await tab.get("page.go('overview')");
            await tab.until("page.tab === 'overview'");
            check((await tab.get("document.querySelector('.detail').textContent")).includes(`${file}: a device coredump of amdgpu`), "the overview does not say what was read");
            await fits(tab, "the overview of a hang");
        });
    }
}

/** A dump of a kernel that wrote no buffers of jobs: the page says what the record says, and blames no packet. */
async function emptyHangPage(chromium) {
    const file = at("ring.txt"), page = at("ring.html"), text = crash();
    writeFileSync(file, text.slice(0, text.indexOf("IB #0")));
    const hang = run("check", "--format", "json", "--html", page, file).trim().split("\n").map((line) => JSON.parse(line)).find((record) => record.type === "hang");
    check(!hang.job && hang.suspects.length === 0 && hang.notes.length > 0 && hang.waits.length > 0, "a dump without buffers has notes and waits, no job and no suspects");
    await session(chromium, page, WIDTHS[1], false, async (tab) => {
        await tab.until("page.tab === 'hang'", "the page begins with the hang");
        const told = await tab.get("document.querySelector('.detail').textContent");
        for (const part of [...hang.notes, ...hang.waits, "None: no words of the job were executed."]) check(told.includes(part), `the page of a dump without buffers lacks ${part}`);
        check((await tab.get("document.querySelectorAll('.detail .first').length")) === 0, "the page blames a packet where none was executed");
        await fits(tab, "a dump without buffers");
    });
}

/** The page of a log has the verdict that the program prints, and a dot and a row for each event, in light and in dark. */
async function logPage(chromium) {
    const log = at("<b>log.txt"), page = at("log.html");
    const line = (time, text) => `[  ${time}] amdgpu 0000:03:00.0: amdgpu: ${text}`;
    writeFileSync(log, [
        line("812.104233", "[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:1)"), line("812.104300", "  in page starting at address 0x0000000012345000 from client 10"),
        line("814.500000", "ring gfx_0.0.0 timeout, signaled seq=11, emitted seq=13"), line("814.600000", " Process <img src=x> pid 4242 thread a:cs0 pid 4243"),
        line("815.000000", "GPU reset begin!. Source:  1"), line("815.200000", "MODE1 reset"), line("815.300000", "ring sdma0 timeout, signaled seq=1, emitted seq=2"),
        line("816.104233", "GPU reset(1) succeeded!"), "",
    ].join("\n"));
    const verdict = run("check", "--brief", log).trim();
    run("check", "--html", page, log);
    for (const size of WIDTHS) {
        for (const dark of [false, true]) {
            await session(chromium, page, size, dark, async (tab) => {
                await fits(tab, "log");
                check((await tab.get("document.querySelector('pre.verdict').textContent")) === verdict, "the page has another verdict than the program");
                check((await tab.get("document.querySelectorAll('img, b').length")) === 0, "a name became markup");
                await tab.get("window.copied = null; navigator.clipboard.writeText = async (text) => { window.copied = text; }");
                await tab.click(".copy button", "Copy");
                await tab.until("window.copied");
                check((await tab.get("window.copied")) === verdict, "Copy copies another verdict");
                const [dots, rows, lanes] = await tab.get("['.dot', 'tr.event', '.lane .track'].map((what) => document.querySelectorAll(what).length)");
                check(dots === 6 && rows === 6 && lanes === 2, `the timeline has ${dots} dots, ${rows} rows, ${lanes} lanes`);
                const seconds = await tab.get("[...document.querySelectorAll('tr.event')].map((row) => row.children[2].textContent)");
                check(seconds[0] === "+0.000" && seconds.at(-1) === "+4.000", `the events are at ${seconds}`);
                const places = await tab.get("[...document.querySelectorAll('.dot')].map((dot) => parseFloat(dot.style.left))");
                check(Math.min(...places) === 0 && Math.max(...places) === 100, `the dots are at ${places}`);
                // A dot is seen on its ground, in light and in dark.
                const colours = await tab.get("[document.querySelector('.dot.timeout'), document.querySelector('.card')].map((part) => getComputedStyle(part).backgroundColor)");
                check(colours[0] !== colours[1], `a dot has the colour of its ground: ${colours}`);
                await tab.click(".dot.timeout");
                await tab.until("document.querySelector('tr.event.chosen')?.textContent.includes('ring gfx_0.0.0 timed out')", "a dot shows its event");
            });
        }
    }
}

/** The page of a dump after a log shows the timeline before the engines. */
async function logAndDumpPage(chromium) {
    const file = at("both.txt"), page = at("both.html");
    const log = "[  812.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=11, emitted seq=13\n[  813.000000] amdgpu 0000:03:00.0: amdgpu: Ring gfx_0.0.0 reset succeeded\n";
    writeFileSync(file, log + crash());
    run("check", "--html", page, file);
    await session(chromium, page, WIDTHS[1], true, async (tab) => {
        await tab.until("page.tab === 'hang'", "the page begins with the hang");
        const first = await tab.get("[...document.querySelectorAll('.detail .card h3')].slice(0, 3).map((title) => title.textContent)");
        check(first[0] === "What went wrong" && first[1] === "Timeline of the log" && first[2].startsWith("Ring gfx_0.0.0"), `the page begins with ${first}`);
        check((await tab.get("document.querySelectorAll('.detail .dot').length")) === 2, "the timeline has an event for each line");
        await fits(tab, "a log and a dump");
    });
}

/** A page of more than 10,000 packets, of different captures one behind the other, is small and opens at once. */
async function longPage(chromium) {
    const words = at("long.bin"), page = at("long.html");
    const all = readdirSync(join(captures, "navi31")).filter((name) => name.startsWith("toggle") || name.startsWith("draw_")).sort().map((name) => readFileSync(join(captures, "navi31", name)));
    const once = Buffer.concat(all);
    writeFileSync(words, Buffer.concat(Array(Math.ceil(220_000 / once.length)).fill(once)));
    run("check", "--chip", "navi31", "--only", "findings", "--html", page, words);
    const size = statSync(page).size;
    check(size < 3_000_000, `a page of long.bin has ${size} bytes`);
    let packets, time;
    await session(chromium, page, WIDTHS[1], false, async (tab) => {
        packets = await tab.get("page.capture.steps");
        time = await tab.get("Math.round(performance.now())");
        check(packets > 10_000, `long.bin has ${packets} packets`);
        check(time < 2000, `the page of long.bin is open after ${time} ms`);
        await fits(tab, "a long page");
    });
    return `${packets} packets, page of ${size} bytes, open after ${time} ms`;
}

async function session(chromium, page, size, dark, use) {
    const tab = await chromium.page(...size, dark);
    try {
        await tab.open(url(page));
        await use(tab);
        check(!tab.problems.length, `the console says: ${tab.problems.join("; ")}`);
        const foreign = tab.requests.filter((request) => !request.startsWith(url(folder)) && !request.startsWith("data:"));
        check(!foreign.length, `requests leave the page: ${foreign.join(", ")}`);
    } catch (error) {
        const shot = join(tmpdir(), "pm4-browser-failure.png");
        writeFileSync(shot, await tab.screenshot().catch(() => Buffer.alloc(0)));
        throw new Error(`${page} at ${size.join(" x ")}: ${error.message} (${shot} shows it)`);
    } finally {
        await tab.close();
    }
}

/** Nothing is wider than the window. */
async function fits(tab, where) {
    const wide = await tab.get("[document.documentElement, ...document.querySelectorAll('body, header, main, .list, .detail')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => `${e.tagName} ${e.className}: ${e.scrollWidth} pixels in ${e.clientWidth}`)");
    check(!wide.length, `${where} is wider than the window: ${wide.join(", ")}`);
}

/** The page of a run against the records that the program prints. */
async function runPage(chromium, { chip, name, files }) {
    const page = at(`${name}.html`);
    const records = run("check", "--chip", chip, "--format", "json", "--html", page, ...files).trim().split("\n").map((line) => JSON.parse(line));
    const draws = records.filter((record) => record.type === "draw"), findings = records.filter((record) => record.type === "finding");
    // One capture and the broken one at all widths.
    for (const size of ["navi31", "hostile"].includes(name) ? WIDTHS : WIDTHS.slice(1, 2)) {
        const wide = size[0] > 900;
        await session(chromium, page, size, size[0] === 2560, async (tab) => {
            await fits(tab, "overview");
            check((await tab.get("document.querySelectorAll('img, b').length")) === 0, "a name became markup");
            check((await tab.get("page.capture.draws.length")) === draws.length, "the page has other draws than the program");
            check((await tab.get("page.capture.findings.length")) === findings.length, "the page has other findings than the program");
            if (size[0] === 1280) await statesAgree(tab, draws);
            if (draws.length) {
                await tab.click("nav a", "Draws");
                await tab.until("page.tab === 'draws'");
                await tab.click(".row.draws");
                await tab.until("page.chosen !== '' && document.querySelector('.detail h2')?.textContent.match(/Draw|Dispatch/)", "a draw is shown");
                await fits(tab, "draw");
                const register = await tab.get("document.querySelector('details.block tr.register').dataset.register");
                await tab.click(`details.block tr[data-register="${register}"]`);
                await tab.until("document.querySelector('.opened .bits, .opened .dim')", "the bits of a register");
                await fits(tab, "bits of a register");
                await tab.click("details.block td.by a", "#");
                await tab.until("page.tab === 'packets' && page.chosen !== ''", "who wrote the register");
                await tab.until("document.querySelector('.registers-table tr.register')", "what the packet sets");
                await fits(tab, "packet");
            }
            await search(tab, wide);
            if (findings.length) {
                await tab.click("nav a", "Findings");
                await tab.until("page.tab === 'findings'");
                await tab.click(".row.findings");
                await tab.until("page.chosen !== '' && document.querySelector('.message')?.textContent.length", "a finding");
                await fits(tab, "finding");
                if ((await tab.get("page.capture.findings[page.capture.order[0]].step")) !== null) {
                    await tab.click(".detail a", "#");
                    await tab.until("/^#(packets|draws)/.test(location.hash)", "the packet of a finding");
                }
            }
            for (const part of ["Registers", "Statistics", "Overview"]) {
                await tab.click("nav a", part);
                await tab.until(`document.querySelector('nav a[aria-current]').textContent.startsWith('${part}')`);
                await fits(tab, part);
            }
        });
    }
    return { size: statSync(page).size, draws: draws.length };
}

/** The registers of each draw are those of the records. */
async function statesAgree(tab, draws) {
    const state = (draw) => `[...page.capture.state(${draw})].filter(([, held]) => held.known === 0 && true).map(([addr, held]) => [addr, held.value]).filter(([addr]) => !(addr >= 0x8000 && addr < 0xb000)).sort((a, b) => a[0] - b[0])`;
    for (const draw of draws) {
        const told = Object.values(draw.registers).flatMap((bank) => Object.entries(bank).map(([addr, value]) => [Number(addr), Number(value)])).sort((a, b) => a[0] - b[0]);
        const shown = await tab.get(state(draw.index));
        check(JSON.stringify(shown) === JSON.stringify(told), `draw ${draw.index}: the page shows ${shown.length} registers that are not the ${told.length} of the record`);
        const place = await tab.get(`(() => { const { step } = page.capture.draws[${draw.index}]; return [page.capture.buffer(step).name, page.capture.dword(step), page.capture.name(step)]; })()`);
        check(JSON.stringify(place) === JSON.stringify([draw.file, draw.dword, draw.opcode]), `draw ${draw.index} stands elsewhere: ${place}`);
    }
}

/** Keys and search: by a register that is set, with its value, and by something that is not there. */
async function search(tab, wide) {
    await tab.click("nav a", "Packets");
    await tab.until("page.tab === 'packets' && page.chosen === ''", "the list of packets");
    const all = await tab.get("page.items.length");
    const [register, value] = await tab.get("(() => { for (let s = 0; s < page.capture.steps; s++) { const w = page.capture.writes(s)[0]; if (w && w.value && page.capture.byAddr.get(w.addr)?.layout) return [page.capture.registerName(w.addr), w.value]; } })()");
    await tab.press("/");
    await tab.until("document.activeElement.type === 'search'", "the key / goes to the search");
    await tab.type(`${register}=${value}`);
    await tab.until(`page.search === ${JSON.stringify(`${register}=${value}`)} && page.items.length > 0 && page.items.length < ${all}`, `packets that set ${register}`);
    check(await tab.get(`[...page.items].every((step) => page.capture.writes(step).some((w) => page.capture.registerName(w.addr).includes(${JSON.stringify(register)}) && w.value === ${value}) || page.capture.summary(step).includes("="))`), "the search finds other packets");
    await tab.press("Enter");
    await tab.until("/^#packets\\/[0-9]+/.test(location.hash)", "Enter chooses the first packet that is found");
    await tab.until(`[...document.querySelectorAll('.detail tr.register')].some((row) => row.dataset.register === ${JSON.stringify(register)})`, "the packet sets the register");
    if (wide) {
        await tab.press("Escape", "/");
        await tab.type("no_such_thing_here");
        await tab.until("page.items.length === 0", "nothing is found");
        await tab.press("Escape");
    }
}

async function streamPage(chromium, { chip, name, files }) {
    const page = at(`${name}-dump.html`);
    const packets = run("dump", "--chip", chip, "--format", "json", "--html", page, ...files).trim().split("\n").map((line) => JSON.parse(line));
    const told = packets.filter((record) => record.type === "packet");
    await session(chromium, page, [1280, 860], false, async (tab) => {
        const rows = await tab.get("Array.from({ length: page.capture.steps }, (_, step) => [page.capture.name(step), page.capture.dword(step), page.capture.words(step).length]).filter(([name]) => name !== 'no packet')");
        check(JSON.stringify(rows) === JSON.stringify(told.map((record) => [record.opcode, record.dword, record.dwords])), "the page has other packets than dump");
        for (const [step, record] of told.entries()) {
            if (step % 7) continue;
            const details = await tab.get(`page.capture.details([...Array(page.capture.steps).keys()].filter((s) => page.capture.name(s) !== 'no packet')[${step}])`);
            check(JSON.stringify(details.fields) === JSON.stringify(record.fields), `the fields of packet ${step} differ`);
        }
        await tab.click("nav a", "Packets");
        await tab.until("page.tab === 'packets'");
        await tab.click(".row.packets");
        await tab.until("document.querySelector('.words')", "the words of a packet");
    });
}

async function manual(chromium) {
    const out = run("regs", "--html", at("manual"));
    const first = at("manual/index.html");
    for (const size of WIDTHS) {
        await session(chromium, first, size, false, async (tab) => {
            await fits(tab, "first page");
            await tab.press("/");
            await tab.type("db_shader_con");
            await tab.until("document.querySelector('#found a')?.textContent.startsWith('DB_SHADER_CONTROL')", "a register is found");
            await tab.press("Enter");
            await tab.until("document.querySelector('h1')?.textContent === 'DB_SHADER_CONTROL' && document.documentElement.dataset.ready", "its page");
            await fits(tab, "register");
            check((await tab.get("document.querySelectorAll('.bits .strip').length")) >= 3, "layouts side by side");
            await tab.click(".card a", "POPS-");
            await tab.until("document.querySelector('.rule:target')", "the rule");
            await fits(tab, "rules");
            await tab.click(".rule:target a[href*='register/DB_SHADER_CONTROL.html']");
            await tab.until("document.querySelector('h1')?.textContent === 'DB_SHADER_CONTROL' && document.documentElement.dataset.ready", "back at the register");
            await tab.click(".addresses a", "SET_CONTEXT_REG");
            await tab.until("document.querySelector('h1')?.textContent === 'SET_CONTEXT_REG' && document.documentElement.dataset.ready", "the packet");
            await fits(tab, "packet");
            await tab.press("/");
            await tab.type("0x28040");
            await tab.until("[...document.querySelectorAll('#found a')].some((a) => a.textContent.startsWith('DB_Z_INFO'))", "a register by its address");
        });
    }
    await moved(chromium);
    links(at("manual"));
    return out.split(" ")[0];
}

/** Fields that stand elsewhere on another generation are marked with both places; each register tells its sources. */
async function moved(chromium) {
    let marked = 0;
    for (const name of ["PA_SC_MODE_CNTL_1", "DB_SHADER_CONTROL", "CB_COLOR0_INFO", "SPI_SHADER_PGM_RSRC2_PS"]) {
        const layouts = run("regs", "--gfx", "all", "--format", "json", name).trim().split("\n").map((line) => JSON.parse(line)).filter((record) => record.type === "register" && record.name === name);
        const places = new Map();
        for (const { fields } of layouts) for (const field of fields) places.set(field.name, (places.get(field.name) ?? new Set()).add(`${field.hi}:${field.lo}`));
        const several = [...places].filter(([, set]) => set.size > 1).length;
        await session(chromium, at(`manual/register/${name}.html`), WIDTHS[1], false, async (tab) => {
            const [there, titles, generations] = await tab.get("[document.querySelectorAll('.moved').length, [...document.querySelectorAll('h3')].map((title) => title.textContent), document.body.textContent]");
            check((there > 0) === (several > 0), `${name}: ${several} fields have several places, ${there} are marked`);
            check(titles.includes("Sources and disagreements"), `${name} does not tell its sources`);
            for (const generation of new Set(layouts.map((record) => record.gfx))) check(generations.includes(generation.toUpperCase().replace("GFX103", "GFX10.3").replace("GFX115", "GFX11.5")), `${name} lacks ${generation}`);
            marked += there;
        });
    }
    check(marked > 0, "no field has moved");
}

/** Each link of the manual leads to a page, and each anchor to a place on it. */
function links(folder) {
    const pages = new Map();
    const read = (path) => {
        if (!pages.has(path)) {
            const text = existsSync(path) ? execFileSync("cat", [path], { encoding: "utf8", maxBuffer: 1 << 26 }) : null;
            pages.set(path, text && { ids: new Set([...text.matchAll(/ id="([^"]*)"/g)].map((m) => m[1])), links: [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map((m) => m[1]) });
        }
        return pages.get(path);
    };
    const open = [join(folder, "index.html")], seen = new Set(open);
    while (open.length) {
        const path = open.pop(), page = read(path);
        for (const link of page.links) {
            const [to, anchor] = link.split("#"), target = to ? resolve(dirname(path), to) : path;
            check(target.startsWith(folder), `${path} leads out: ${link}`);
            const there = read(target);
            check(there, `${path} leads nowhere: ${link}`);
            check(!anchor || there.ids.has(decodeURIComponent(anchor)), `${path} leads to a place that is not there: ${link}`);
            if (!seen.has(target)) { seen.add(target); open.push(target); }
        }
    }
    return seen.size;
}

async function wavesPage(chromium) {
    for (const [name, list] of [["waves", []], ["waves-late", ["--mutate", "no-wait"]]]) {
        const names = run("waves", "--list-mutations", "--format", "json").trim().split("\n").map((line) => JSON.parse(line));
        const mutation = list.length ? names.find((m) => m.verdict === "violation")?.name : null;
        const record = JSON.parse(run("waves", "--format", "json", "--waves", "400", "--html", at(`${name}.html`), ...(mutation ? ["--mutate", mutation] : [])).trim());
        for (const size of WIDTHS) {
            await session(chromium, at(`${name}.html`), size, size[0] === 360, async (tab) => {
                await fits(tab, "waves");
                const late = await tab.get("page.steps.some((step) => step.late)");
                check(late === record.violations > 0, `the page ${late ? "has" : "lacks"} late accesses, the program counts ${record.violations}`);
                const before = await tab.get("page.now");
                await tab.press("ArrowRight", "ArrowRight", "ArrowLeft");
                await tab.until(`page.now === ${before + 1}`, "arrow keys step");
                if (record.findings.length) {
                    await tab.press("Home");
                    await tab.click(".finding");
                    await tab.until("page.now > 0", "the place of a finding");
                }
                if (late) {
                    await tab.press("n");
                    await tab.until("page.step.late", "the key n goes to a late access");
                }
                await tab.click(".pixels canvas");
                await tab.until("document.querySelector('.pixels p')?.textContent.startsWith('Pixel')", "the accesses of a pixel");
            });
        }
    }
}

/** The pictures of the README, and nothing else. */
async function pictures(chromium, cases) {
    mkdirSync(screenshots, { recursive: true });
    const shot = async (name, page, size, dark, act) => session(chromium, page, size, dark, async (tab) => {
        await act?.(tab);
        await tab.get("new Promise((done) => setTimeout(done, 300))");
        writeFileSync(join(screenshots, `${name}.png`), await tab.screenshot());
    });
    const many = cases.find(({ name }) => name === "many");
    await shot("check", at(`${many.name}.html`), [1180, 760], false, async (tab) => {
        await tab.get("page.go('draws/6')");
        await tab.until("document.querySelector('details.block')");
    });
    await shot("regs", at("manual/register/DB_SHADER_CONTROL.html"), [1180, 760], false);
    await shot("waves", at("waves-late.html"), [1180, 760], true);
}

const chromium = await Chromium.start(browser);
try {
    const cases = pages();
    for (const one of cases) {
        const { size, draws } = await runPage(chromium, one);
        await streamPage(chromium, one);
        console.log(`${one.name}: ${one.files.length} files, ${draws} draws, page of ${size} bytes`);
    }
    console.log(`long: ${await longPage(chromium)}`);
    const tools = { run, at, check, session, fits, captures };
    const many = cases.find(({ name }) => name === "many");
    await uses.timeline(tools, chromium);
    await uses.differences(tools, chromium, many);
    await uses.memoryAndStatistics(tools, chromium, many);
    await uses.keysAndThemes(tools, chromium, at("many.html"));
    console.log("uses: timeline of two queues, differences, memory, statistics, keys, themes, print");
    console.log(`million: ${await uses.million(tools, chromium)}`);
    await hangPage(chromium);
    await emptyHangPage(chromium);
    console.log("hang: two dumps");
    await logPage(chromium);
    await logAndDumpPage(chromium);
    console.log("log: a log, and one with a dump");
    console.log(`manual: ${await manual(chromium)} pages`);
    await wavesPage(chromium);
    console.log("waves: two runs");
    if (screenshots) await pictures(chromium, cases);
} catch (error) {
    console.error(error.message);
    process.exitCode = 1;
} finally {
    await chromium.stop();
    rmSync(folder, { recursive: true, force: true });
}
