// Files as people drop and choose them: {name, data}; the name has the folders that were dropped with it.

const named = (file) => ({ name: file.webkitRelativePath || file.name, data: file });

/** All files of what was dropped, those of folders as well. */
async function droppedFiles(transfer) {
    const items = [...transfer.items].filter((item) => item.kind === "file");
    // Both must be asked before the first pause: after it the browser has forgotten what was dropped.
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
