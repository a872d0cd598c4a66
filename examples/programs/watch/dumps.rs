//! Finds the kernel's device coredumps: in the class, and in the folder of each card (Linux drivers/base/devcoredump.c).

use super::place::{Root, Unread};
use std::path::{Path, PathBuf};

pub const CLASS: &str = "sys/class/devcoredump";
pub const CARDS: &str = "sys/class/drm";

/// A coredump held by the kernel.
pub struct Dump {
    /// Its folder.
    pub folder: PathBuf,
    /// The failed device, if known.
    pub device: Option<PathBuf>,
    /// Whether amdgpu drives the device; otherwise only the content can tell.
    pub is_amdgpu: bool,
}

/// The result of a search.
#[derive(Default)]
pub struct Found {
    pub dumps: Vec<Dump>,
    /// Paths that lead outside the root.
    pub outside: Vec<PathBuf>,
}

/// Returns the driver of a device.
fn driver(root: &Root, device: &Path) -> Option<String> {
    let driver = root.follow(&device.join("driver")).ok()?;
    Some(driver.file_name()?.to_string_lossy().into_owned())
}

/// Returns whether a name is that of a card, `card0`, and not of one of its outputs, `card0-DP-1`.
fn is_card(name: &str) -> bool {
    name.strip_prefix("card").is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the name of a device under `sys/class/drm`, such as `card0`.
pub fn card(root: &Root, device: &Path) -> Option<String> {
    let is_of = |name: &String| is_card(name) && root.follow(&root.at(CARDS).join(name).join("device")).is_ok_and(|other| other == device);
    root.names(&root.at(CARDS)).into_iter().find(is_of)
}

/// Returns all amdgpu coredumps, and those whose driver is unknown.
pub fn find(root: &Root) -> Found {
    let class = root.names(&root.at(CLASS)).into_iter().filter(|name| name.starts_with("devcd"));
    let of_class = class.map(|name| (root.at(CLASS).join(name), "failing_device"));
    let cards = root.names(&root.at(CARDS)).into_iter().filter(|name| is_card(name));
    let of_cards = cards.map(|name| (root.at(CARDS).join(name).join("device/devcoredump"), ".."));
    let mut found = Found::default();
    for (path, device) in of_class.chain(of_cards) {
        let folder = match root.follow(&path) {
            Ok(folder) => folder,
            Err(Unread::Outside) => {
                found.outside.push(path);
                continue;
            }
            Err(_) => continue,
        };
        if found.dumps.iter().any(|dump| dump.folder == folder) {
            continue;
        }
        // In a link, `..` refers to the parent of its target, so the folder of a card is determined by name.
        let device = if device == ".." { path.parent().map(Path::to_owned) } else { Some(folder.join(device)) };
        let device = device.and_then(|device| root.follow(&device).ok());
        let driver = device.as_ref().and_then(|device| driver(root, device));
        if driver.as_ref().is_none_or(|driver| driver == "amdgpu") {
            found.dumps.push(Dump { folder, device, is_amdgpu: driver.is_some() });
        }
    }
    found
}

/// Returns why this kernel keeps no coredumps; None if it does.
pub fn unable(root: &Root) -> Option<String> {
    let class = root.at(CLASS);
    if !class.is_dir() {
        return Some(format!(
            "{} is not there: this kernel keeps no device coredumps. Use a kernel with CONFIG_DEV_COREDUMP=y; until then keep the log: journalctl -k -b",
            class.display()
        ));
    }
    (root.text(&class.join("disabled")).as_deref() == Some("1")).then(|| {
        format!(
            "{} is 1: device coredumps are off until the next boot. Find out what turns them off, and start the machine again",
            class.join("disabled").display()
        )
    })
}
