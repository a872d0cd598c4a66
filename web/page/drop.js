// Files that a person drops or chooses: {name, data}; the name includes the path within the dropped folder.

const named = (file) => ({ name: file.webkitRelativePath || file.name, data: file });

/** All dropped files, including those in folders. */
async function droppedFiles(transfer) {
    const items = [...transfer.items].filter((item) => item.kind === "file");
    // Read both before the first await: afterwards the browser discards the dropped items.
    const asked = items.map((item) => [item.webkitGetAsEntry?.(), item.getAsFile()]);
    const found = [];
    for (const [entry, file] of asked) {
        if (entry?.isDirectory) await walk(entry, `${entry.name}/`, found);
        else if (file) found.push(named(file));
    }
    return found;
}

async function walk(folder, path, found) {
    const reader = folder.createReader();
    try {
        for (;;) {
            const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
            if (!entries.length) return;
            for (const entry of entries) {
                if (entry.isDirectory) await walk(entry, `${path}${entry.name}/`, found);
                else found.push({ name: path + entry.name, data: await new Promise((resolve, reject) => entry.file(resolve, reject)) });
            }
        }
    } catch (error) {
        throw new Error(`the browser does not let this page read the folder ${path} (${error.message}): choose it with the button “A folder…”`);
    }
}
