//! Versions of the machine: kernel, device, IP blocks, firmware. Numbers that identify an individual board are not read.

use super::dumps;
use super::place::Root;
use std::fmt::Write;
use std::path::Path;

/// Files that state the model of a device. `unique_id`, `serial_number` and `product_number` are not among them.
const DEVICE: [&str; 7] = ["vendor", "device", "subsystem_vendor", "subsystem_device", "revision", "vbios_version", "product_name"];

/// Appends IP blocks by kernel name, with their versions (Linux amdgpu_discovery.c, ip_discovery/die/DIE/NAME/INSTANCE).
fn blocks(root: &Root, device: &Path, out: &mut String) {
    let dies = device.join("ip_discovery/die");
    for die in root.names(&dies) {
        let folder = dies.join(&die);
        // Each block appears under its number, and under its name as a link.
        let names = root.names(&folder);
        let named: Vec<&String> = names.iter().filter(|name| !name.bytes().all(|byte| byte.is_ascii_digit())).collect();
        let chosen = if named.is_empty() { names.iter().collect() } else { named };
        for name in chosen {
            for instance in root.names(&folder.join(name)) {
                let part = |part: &str| root.text(&folder.join(name).join(&instance).join(part));
                if let (Some(major), Some(minor), Some(revision)) = (part("major"), part("minor"), part("revision")) {
                    let _ = writeln!(out, "die {die} {name}[{instance}] {major}.{minor}.{revision}");
                }
            }
        }
    }
}

/// Appends firmware versions from the device's files and from the debugfs table.
fn firmware(root: &Root, device: &Path, out: &mut String) {
    let folder = device.join("fw_version");
    for name in root.names(&folder) {
        if let Some(version) = root.text(&folder.join(&name)) {
            let _ = writeln!(out, "{name} {version}");
        }
    }
    let by_card = dumps::card(root, device).and_then(|card| card.strip_prefix("card").map(str::to_owned));
    let by_address = device.file_name().map(|name| name.to_string_lossy().into_owned());
    let table = by_card.into_iter().chain(by_address).find_map(|name| root.text(&root.at("sys/kernel/debug/dri").join(name).join("amdgpu_firmware_info")));
    if let Some(table) = table {
        let _ = writeln!(out, "{table}");
    }
}

/// Returns all versions, one per line.
pub fn versions(root: &Root, device: Option<&Path>) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "pm4 {}", env!("CARGO_PKG_VERSION"));
    if let Some(release) = root.text(&root.at("proc/sys/kernel/osrelease")) {
        let _ = writeln!(out, "kernel {release}");
    }
    // The rest of the command line names disks.
    let line = root.text(&root.at("proc/cmdline")).unwrap_or_default();
    for word in line.split_whitespace().filter(|word| ["amdgpu", "amd_iommu", "iommu", "amdttm", "ttm"].iter().any(|start| word.starts_with(start))) {
        let _ = writeln!(out, "command line {word}");
    }
    let Some(device) = device else { return out };
    for name in DEVICE {
        if let Some(value) = root.text(&device.join(name)) {
            let _ = writeln!(out, "{name} {value}");
        }
    }
    blocks(root, device, &mut out);
    firmware(root, device, &mut out);
    out
}
