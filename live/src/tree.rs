//! The files through which a driver finds the device: only the program sees them, and they are on no disk.

use pm4::chip::DeviceFacts;
use std::collections::BTreeMap;

/// The minor number of the device node; the major number is 226.
pub const MINOR: u32 = 128;

/// Paths below these are in the tree or do not exist, so other GPUs of the machine are hidden.
const ROOTS: [&str; 3] = ["/dev/dri", "/sys/dev/char/226:", "/sys/class/drm"];

/// A file of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A folder and the names of its entries.
    Folder(Vec<String>),
    /// A file and its text.
    File(String),
    /// A symbolic link and its target.
    Link(&'static str),
    /// The device node.
    Device,
}

/// The meaning of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found<'t> {
    /// Not in the tree; left to the kernel.
    Foreign,
    /// Below a folder of the tree, but missing.
    Missing,
    /// In the tree, with its index.
    Node(usize, &'t Node),
}

/// The tree of files.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<(String, Node)>,
    places: BTreeMap<String, usize>,
}

impl Tree {
    /// Creates the tree of a device.
    pub fn new(facts: &DeviceFacts) -> Self {
        let DeviceFacts { device_id, pci_rev, .. } = *facts;
        let node = format!("renderD{MINOR}");
        let uevent = format!(
            "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:{device_id:04X}\nPCI_SUBSYS_ID=1002:0B36\nPCI_SLOT_NAME=0000:03:00.0\n\
             MODALIAS=pci:v00001002d0000{device_id:04X}sv00001002sd00000B36bc03sc00i00\n"
        );
        let device = format!("/sys/dev/char/226:{MINOR}/device");
        let mut tree = Self { nodes: Vec::new(), places: BTreeMap::new() };
        tree.add(format!("/dev/dri/{node}"), Node::Device);
        for (name, text) in [
            ("uevent", uevent),
            ("vendor", "0x1002\n".into()),
            ("device", format!("0x{device_id:04x}\n")),
            ("subsystem_vendor", "0x1002\n".into()),
            ("subsystem_device", "0x0b36\n".into()),
            ("revision", format!("0x{pci_rev:02x}\n")),
        ] {
            tree.add(format!("{device}/{name}"), Node::File(text));
        }
        tree.add(format!("{device}/subsystem"), Node::Link("/sys/bus/pci"));
        tree.add(format!("{device}/drm/{node}"), Node::Folder(Vec::new()));
        tree.add(format!("/sys/dev/char/226:{MINOR}/uevent"), Node::File(format!("MAJOR=226\nMINOR={MINOR}\nDEVNAME=dri/{node}\nDEVTYPE=drm_minor\n")));
        tree.add("/sys/class/drm/version".into(), Node::File("drm 1.1.0 20060810\n".into()));
        tree
    }

    /// Adds a file, and its folders up to a root.
    fn add(&mut self, path: String, node: Node) {
        if let Some((folder, name)) = path.rsplit_once('/').filter(|_| is_below(&path)) {
            if is_below(folder) {
                match self.places.get(folder) {
                    Some(place) => {
                        if let Node::Folder(entries) = &mut self.nodes[*place].1 {
                            entries.push(name.into());
                        }
                    }
                    None => self.add(folder.into(), Node::Folder(vec![name.into()])),
                }
            }
            self.places.insert(path.clone(), self.nodes.len());
            self.nodes.push((path, node));
        }
    }

    /// Returns the meaning of an absolute path.
    pub fn find(&self, path: &str) -> Found<'_> {
        // Nearly all paths of a program are outside the tree.
        if !path.starts_with("/dev") && !path.starts_with("/sys") && !path.contains("..") {
            return Found::Foreign;
        }
        let path = plain(path);
        if !is_below(&path) {
            return Found::Foreign;
        }
        self.places.get(&path).map_or(Found::Missing, |place| Found::Node(*place, &self.nodes[*place].1))
    }

    /// Returns all files by index, each with its path.
    pub fn nodes(&self) -> &[(String, Node)] {
        &self.nodes
    }
}

/// Returns whether a path is a root or below one.
fn is_below(path: &str) -> bool {
    ROOTS.iter().any(|root| path.strip_prefix(root).is_some_and(|rest| root.ends_with(':') || rest.is_empty() || rest.starts_with('/')))
}

/// Removes `.`, `..` and empty parts from a path.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.iter().fold(String::new(), |path, part| path + "/" + part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pm4::chip::Chip;

    #[test]
    fn other_gpus_vanish_and_other_files_are_left_alone() {
        let tree = Tree::new(Chip::Navi21.device().unwrap());
        for (path, found) in [
            ("/usr/lib/libdrm.so", "foreign"),
            ("/dev/null", "foreign"),
            ("/sys/dev/char/1:3", "foreign"),
            ("/dev/dri2", "foreign"),
            ("/dev/dri/card0", "missing"),
            ("/sys/dev/char/226:0/device", "missing"),
            ("/dev/dri/renderD128", "device"),
            ("/dev//dri/../dri/./renderD128", "device"),
            ("/dev/dri", "folder"),
        ] {
            let seen = match tree.find(path) {
                Found::Foreign => "foreign",
                Found::Missing => "missing",
                Found::Node(_, Node::Device) => "device",
                Found::Node(_, Node::Folder(_)) => "folder",
                Found::Node(..) => "file",
            };
            assert_eq!(seen, found, "{path}");
        }
        let Found::Node(_, Node::Folder(entries)) = tree.find("/sys/dev/char/226:128/device") else { panic!("no folder") };
        assert_eq!(entries.len(), 8);
        assert!(matches!(tree.find("/sys/dev/char/226:128/device/uevent"), Found::Node(_, Node::File(text)) if text.contains("PCI_ID=1002:73BF")));
    }
}
