// What a person does with a page of a run beside reading it: the timeline, differences between draws, memory, statistics, keys, print, a million packets.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The registers of a record, address to value; those of configuration have no part in the state of a draw. */
const registersOf = (draw) => new Map(Object.values(draw.registers).flatMap((bank) => Object.entries(bank).map(([addr, value]) => [Number(addr), Number(value)])));
const lines = (text) => text.trim().split("\n").map((line) => JSON.parse(line));

/** Two queues side by side: each has its lanes, a click on a draw leads to it, keys change what is shown. */
export async function timeline({ run, at, check, session, fits }, chromium) {
    const page = at("queues.html"), files = ["--queue", "gfx", "navi21/mesh_indirect.bin", "--queue", "compute", "navi21/mesh_indirect.ace0.bin"];
    const records = lines(run("check", "--chip", "navi21", "--format", "json", "--statistics", "--html", page, ...files));
    const draws = records.filter((record) => record.type === "draw"), rolls = records.find((record) => record.type === "statistics").rolls;
    await session(chromium, page, [1280, 860], false, async (tab) => {
        const queues = await tab.get("page.timeline.queues.map((queue) => [queue.name, queue.lanes.map((lane) => lane.length)])");
        check(JSON.stringify(queues.map(([name]) => name)) === '["gfx","compute"]', `the timeline has the queues ${queues.map(([name]) => name)}`);
        for (const [name, [work, , , rolled]] of queues) {
            check(work === draws.filter((draw) => draw.queue === name).length, `queue ${name} has ${work} draws in the timeline`);
            check(name === "gfx" || rolled === 0, "a compute queue has no contexts");
        }
        const total = Object.values(rolls).reduce((sum, number) => sum + number, 0);
        check(queues[0][1][3] <= total && (total === 0 || queues[0][1][3] > 0), `${queues[0][1][3]} rolls are shown of ${total}`);
        // What a packet is decides where it stands.
        const strange = await tab.get(`(() => {
            const { capture, timeline } = page, wrong = [];
            for (let step = 0; step < capture.steps; step++) {
                const lanes = timeline.queues.find((queue) => queue.number === capture.queue(step)).lanes, name = capture.name(step);
                if (name.startsWith("WAIT_REG_MEM") && !lanes[1].includes(step)) wrong.push(name);
                if (name === "EVENT_WRITE" && !lanes[2].includes(step)) wrong.push(name);
            }
            return wrong;
        })()`);
        check(!strange.length, `these stand in no lane: ${strange}`);
        // A pixel of the first draw has the colour of draws.
        const [x, y, red, colour] = await tab.get(`(() => {
            const { timeline } = page, step = timeline.queues[0].lanes[0][0];
            timeline.drawNow();
            const x = timeline.x(step), y = 18 + 8 + 6;
            return [x, y, [...timeline.canvas.getContext("2d").getImageData(Math.round(x), y, 1, 1).data].slice(0, 3).join(), timeline.colour("accent")];
        })()`);
        check(colour.replace(/[^0-9,]/g, "").startsWith(red), `a draw has the colour ${red}, not ${colour}`);
        const [left, top] = await tab.get("(() => { const r = page.timeline.canvas.getBoundingClientRect(); return [r.x, r.y]; })()");
        await tab.clickAt(left + x, top + y);
        await tab.until("location.hash === '#draws/0'", "a click on the timeline leads to the draw");
        check(await tab.get("!page.timeline.tip.hidden && page.timeline.tip.textContent.startsWith('draw 0')"), "the pointer tells what is there");
        const all = await tab.get("page.timeline.to - page.timeline.from");
        await tab.press("+");
        await tab.until(`page.timeline.to - page.timeline.from < ${all}`, "the key + looks closer");
        await tab.press("-", "0");
        await tab.until(`page.timeline.to - page.timeline.from === ${all}`, "the key 0 shows all");
        await tab.get("page.go('packets')");
        await tab.until("document.querySelector('.tools select')");
        const compute = await tab.get("(() => { const s = document.querySelector('.tools select'); s.value = 'queue:1'; s.dispatchEvent(new Event('change')); return [page.items.length, [...page.items].every((step) => page.capture.queue(step) === 1)]; })()");
        check(compute[0] > 0 && compute[1], "the list shows the packets of one queue");
        await fits(tab, "two queues");
    });
}

/** A draw beside any other: what the page marks is what the records differ in. */
export async function differences({ run, at, check, session }, chromium, { chip, files }) {
    const page = at("differences.html");
    const draws = lines(run("check", "--chip", chip, "--format", "json", "--only", "draws", "--html", page, ...files)).filter((record) => record.type === "draw");
    const pairs = [[draws.length - 1, 0], [Math.floor(draws.length / 2), draws.length - 1], [1, 0]];
    await session(chromium, page, [1280, 860], false, async (tab) => {
        for (const [one, other] of pairs) {
            await tab.get(`page.go('draws/${one}')`);
            await tab.until(`document.querySelector('.detail h2')?.textContent.endsWith(' ${one}')`, `draw ${one}`);
            await tab.get(`(() => { const input = document.querySelector("input[aria-label='Compare with draw']"); input.value = ${other}; input.dispatchEvent(new Event("change")); })()`);
            await tab.until(`location.hash === '#draws/${one}?with=${other}'`, "another draw to compare with");
            await tab.until("document.querySelector('details.block')");
            const marked = await tab.get("[...document.querySelectorAll('details.block tr.register.changed')].map((row) => page.capture.byName.get(row.dataset.register)?.addr ?? Number(row.dataset.register)).sort((a, b) => a - b)");
            const [mine, theirs] = [registersOf(draws[one]), registersOf(draws[other])];
            const differ = [...mine].filter(([addr, value]) => theirs.get(addr) !== value).map(([addr]) => addr);
            // What only one of them holds, and what CLEAR_STATE gave, the records tell in part.
            const surely = differ.filter((addr) => theirs.has(addr));
            check(surely.every((addr) => marked.includes(addr)), `draw ${one} beside ${other}: ${surely.filter((addr) => !marked.includes(addr))} are not marked`);
            const same = [...mine].filter(([addr, value]) => theirs.get(addr) === value).map(([addr]) => addr);
            check(!same.some((addr) => marked.includes(addr)), `draw ${one} beside ${other}: registers are marked that are the same`);
        }
    });
}

/** Memory that packets write, and statistics, say what the program prints. */
export async function memoryAndStatistics({ run, at, check, session, fits }, chromium, { chip, files }) {
    const page = at("statistics.html");
    const records = lines(run("check", "--chip", chip, "--format", "json", "--statistics", "--html", page, ...files));
    const told = records.find((record) => record.type === "statistics");
    const packets = lines(run("dump", "--chip", chip, "--format", "json", ...files)).filter((record) => record.type === "packet");
    await session(chromium, page, [1280, 860], false, async (tab) => {
        await tab.click("nav a", "Memory");
        await tab.until("page.tab === 'memory' && page.items.length > 0", "memory is written");
        const memory = await tab.get("page.capture.memory.map((m) => [page.capture.buffer(m.step).name, page.capture.dword(m.step), Number(m.at), m.when])");
        const places = new Map(packets.map((packet) => [`${packet.file} ${packet.dword}`, packet]));
        let known = 0;
        for (const [file, dword, addr] of memory) {
            const packet = places.get(`${file} ${dword}`);
            check(packet, `no packet writes memory at ${file} ${dword}`);
            const addresses = Object.entries(packet.fields).filter(([name]) => name.endsWith("addr") || name.includes("address")).map(([, value]) => Number(value));
            if (addresses.includes(addr)) known++;
        }
        check(known > 0, "no address of the list is that of a packet");
        await tab.click(".row.memory");
        await tab.until("[...document.querySelectorAll('.detail h3')].some((title) => title.textContent === 'Writes memory')", "what the packet writes");
        await fits(tab, "memory");
        await tab.click("nav a", "Statistics");
        await tab.until("page.tab === 'statistics' && document.querySelectorAll('.detail .card').length > 2", "statistics");
        const rows = await tab.get("[...document.querySelectorAll('.detail .card')].map((card) => [card.querySelector('h3').textContent, [...card.querySelectorAll('tr')].map((row) => [...row.cells].slice(0, 2).map((cell) => cell.textContent))])");
        const table = (title) => new Map(rows.find(([name]) => name === title)?.[1].map(([name, number]) => [name, Number(number.replaceAll(",", ""))]) ?? []);
        for (const [what, title] of [["packets", "Packets"], ["rolls", "Context rolls by cause"]]) {
            const shown = table(title);
            for (const [name, entry] of Object.entries(told[what])) {
                const number = entry.count ?? entry;
                check(number === 0 || shown.get(name) === number, `${title}: ${name} is ${shown.get(name)}, not ${number}`);
            }
        }
        await tab.click(".detail td a");
        await tab.until("page.tab === 'packets' && page.search !== '' && page.items.length > 0", "the packets of a row");
    });
}

/** Keys, both themes, and print. */
export async function keysAndThemes({ check, session, fits }, chromium, page) {
    const grounds = [];
    for (const dark of [false, true]) {
        await session(chromium, page, [1280, 860], dark, async (tab) => {
            const ground = () => tab.get("getComputedStyle(document.body).backgroundColor");
            const text = await tab.get("getComputedStyle(document.body).color");
            grounds.push(await ground());
            const light = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b, numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
            check(Math.abs(light(numbers(text)) - light(numbers(grounds.at(-1)))) > 120, "text can be read on the ground");
            const chosen = [];
            for (const scheme of ["light", "dark", "light dark"]) {
                await tab.press("t");
                await tab.until(`document.documentElement.style.colorScheme === ${JSON.stringify(scheme)}`, `the key t chooses ${scheme}`);
                chosen.push(await ground());
            }
            check(chosen[0] !== chosen[1] && chosen[2] === grounds.at(-1), `themes have the grounds ${chosen}`);
            await tab.get("page.go('packets')");
            await tab.until("page.tab === 'packets' && page.items.length > 3");
            await tab.press("j", "j", "ArrowDown");
            await tab.until("page.chosen === '2'", "keys go down the list");
            await tab.press("k");
            await tab.until("page.chosen === '1'", "and up");
            await tab.press("]");
            await tab.until("page.tab === 'draws'", "the key ] goes to the next draw");
            const draw = Number(await tab.get("page.chosen"));
            await tab.press("]", "[");
            await tab.until(`page.chosen === '${draw}'`, "and [ goes back");
            await tab.press("1");
            await tab.until("page.tab === page.tabs[0][0]", "numbers choose the part of the page");
            await tab.press("?");
            await tab.until("document.querySelector('dialog[open]')", "the key ? lists the keys");
            await tab.press("Escape");
            await tab.until("!document.querySelector('dialog[open]')");
            // A register opens with the keyboard alone.
            await tab.get(`page.go('draws/${draw}')`);
            await tab.until("document.querySelector('details.block tr.register')");
            await tab.get("document.querySelector('details.block tr.register').focus()");
            await tab.press("Enter");
            await tab.until("document.querySelector('tr.opened')", "Enter opens a register");
            await tab.send("Emulation.setEmulatedMedia", { media: "print" });
            check(await tab.get("['.timeline', '.list', '.buttons'].every((part) => getComputedStyle(document.querySelector(part)).display === 'none')"), "print has no lists and buttons");
            check(await tab.get("document.querySelector('.detail').getClientRects().length > 0 && document.querySelector('details.block tr.register').getClientRects().length > 0"), "print has what is chosen");
            await fits(tab, "print");
            const pdf = await tab.send("Page.printToPDF", {});
            const sheets = Buffer.from(pdf.data, "base64").toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
            check(sheets > 1, `a draw is printed on ${sheets} sheets: what stands below the window is missing`);
        });
    }
    check(grounds[0] !== grounds[1], "light and dark look the same");
}

/** A million packets: the list scrolls, the search answers, and no more rows exist than are seen. */
export async function million({ run, at, check, session, captures }, chromium) {
    const words = at("million.bin"), page = at("million.html");
    const piece = readFileSync(join(captures, "navi31/toggle_none_pixel_none_sample_none_s2.bin"));
    const packets = lines(run("dump", "--chip", "navi31", "--format", "json", "navi31/toggle_none_pixel_none_sample_none_s2.bin")).filter((record) => record.type === "packet").length;
    writeFileSync(words, Buffer.concat(Array(Math.ceil(1_000_000 / packets)).fill(piece)));
    run("dump", "--chip", "navi31", "--grep", "no such text", "--html", page, words);
    let told;
    await session(chromium, page, [1280, 860], false, async (tab) => {
        const steps = await tab.get("page.capture.steps"), open = await tab.get("Math.round(performance.now())");
        check(steps >= 1_000_000, `${steps} packets`);
        await tab.get("page.go('packets')");
        await tab.until("page.items.length === page.capture.steps", "all packets are listed");
        const scrolls = 100, begun = await tab.processorTime();
        const [rows, last] = await tab.get(`(() => {
            const list = page.list, box = list.element;
            for (let i = 0; i < ${scrolls}; i++) {
                box.scrollTop = (box.scrollHeight - box.clientHeight) * ((i * 37) % 100) / 99;
                list.draw();
                document.body.offsetHeight;
            }
            box.scrollTop = box.scrollHeight;
            list.draw();
            return [document.querySelectorAll(".row").length, Number(document.querySelector(".row:last-child .number").textContent)];
        })()`);
        const frame = (await tab.processorTime() - begun) / scrolls;
        check(rows < 120, `${rows} rows exist`);
        check(last === steps - 1, `the end of the list is packet ${last}`);
        // It takes less than one frame of 60 a second; two, so that slow machines pass.
        check(frame < 33, `a step of scrolling takes ${frame.toFixed(1)} ms`);
        const search = await tab.get(`(() => { const begun = performance.now(); page.search = "DB_SHADER_CONTROL"; page.filter(); return [performance.now() - begun, page.items.length]; })()`);
        check(search[1] > 0 && search[0] < 1500, `a search over all takes ${search[0].toFixed(0)} ms and finds ${search[1]}`);
        told = `${steps} packets, page of ${statSync(page).size} bytes, open after ${open} ms, ${frame.toFixed(1)} ms for a step of scrolling, ${search[0].toFixed(0)} ms for a search`;
    });
    return told;
}
