// The search of the manual.

/** Starts the search. `list` has [name, kind, place, addresses, names inside] for each entry; `up` is the path from the page to the root folder. */
function manualSearch(root, up, list) {
    const MOST = 40;
    const KINDS = ["register", "packet", "values", "rule"];
    const input = root.getElementById("search"), found = root.getElementById("found");
    const lower = list.map(([name, , , , inside]) => [name.toLowerCase(), (inside ?? []).map((part) => part.toLowerCase())]);
    let chosen = -1;

    /** The element of an array at an address, or null. */
    function at(addresses, addr) {
        for (const [first, elements, distance] of addresses ?? []) {
            if (addr === first) return "";
            const away = addr - first;
            if (elements > 1 && away > 0 && away % distance === 0 && away / distance < elements) return `, element ${away / distance}`;
        }
        return null;
    }

    /** Entries, best match first: [weight, entry, matched text, place in its page]. */
    function search(text) {
        const wanted = text.trim().toLowerCase();
        if (!wanted) return [];
        const addr = /^0x[0-9a-f]{2,}$/.test(wanted) ? Number(wanted) : null;
        const hits = [];
        list.forEach((entry, i) => {
            const [name, inside] = lower[i];
            if (addr !== null) {
                const element = at(entry[3], addr);
                if (element !== null) hits.push([0, entry, `at ${wanted}${element}`]);
            } else if (name === wanted) hits.push([0, entry, ""]);
            else if (name.startsWith(wanted)) hits.push([1, entry, ""]);
            else if (name.includes(wanted)) hits.push([2, entry, ""]);
            else {
                // REGISTER.FIELD or a field alone.
                const [register, field] = wanted.includes(".") ? wanted.split(".") : ["", wanted];
                const part = name.includes(register) ? inside.findIndex((part) => part.includes(field)) : -1;
                if (part >= 0) hits.push([inside[part] === field ? 1.5 : inside[part].startsWith(field) ? 2.5 : 3, entry, entry[4][part]]);
            }
        });
        return hits.sort((a, b) => a[0] - b[0] || KINDS.indexOf(a[1][1]) - KINDS.indexOf(b[1][1]) || a[1][0].length - b[1][0].length || (a[1][0] < b[1][0] ? -1 : 1));
    }

    function show() {
        const hits = search(input.value);
        chosen = hits.length ? 0 : -1;
        fill(found,
            hits.slice(0, MOST).map(([, [name, kind, place], what], i) => el("a", { href: up + place, role: "option", id: `found-${i}`, "aria-selected": i === 0 }, el("span", null, name, what && el("span.dim", null, ` ${what}`)), el("span.dim", null, kind))),
            hits.length > MOST && el("p.dim", null, `and ${hits.length - MOST} more`),
            input.value.trim() && !hits.length && el("p.dim", null, "Nothing has this name, field or address."));
        open(input.value.trim() !== "");
    }

    function open(yes) {
        found.hidden = !yes;
        input.setAttribute("aria-expanded", yes);
    }

    function choose(step) {
        const links = found.querySelectorAll("a");
        if (!links.length) return;
        chosen = (chosen + step + links.length) % links.length;
        links.forEach((link, i) => link.setAttribute("aria-selected", i === chosen));
        links[chosen].scrollIntoView({ block: "nearest" });
        input.setAttribute("aria-activedescendant", links[chosen].id);
    }

    input.addEventListener("input", show);
    input.addEventListener("focus", () => input.value.trim() && show());
    input.addEventListener("keydown", (event) => {
        if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); choose(event.key === "ArrowDown" ? 1 : -1); }
        if (event.key === "Enter") found.querySelectorAll("a")[chosen]?.click();
        if (event.key === "Escape") { open(false); input.blur(); }
    });
    root.addEventListener("click", (event) => { if (!event.target.closest(".search")) open(false); });
    return input;
}
