//! `pm4 watch` on made-up system trees.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const DUMP: &str = "**** AMDGPU Device Coredump ****\nversion: 1\nkernel: 7.1.8\nmodule: amdgpu\ntime: 812.104233000\n\
     process_name: vkcube TGID: 4242 thread: vkcube:cs0 PID: 4243\nHWIP: GC[1][0]: v11.0.0.0.0\nRing timed out details\nIP Type: 0 Ring Name: gfx_0.0.0\n\
     [gfxhub] Page fault observed\nFaulty page starting at address: 0x0000000012345000\nProtection fault status register: 0x301031\nIP: gfx_v11_0\nregGRBM_STATUS 0xa0003028\n";

/// Records in the format of /dev/kmsg, with names of people and machines as in real logs.
const LOG: &str = "6,1,1000000,-;Linux version 7.1.8 (builder@buildhost) (gcc 15)\n\
     6,2,2000000,-;Command line: root=UUID=0b5a2f6e-1111-2222-3333-444455556666 amdgpu.gpu_recovery=1\n\
     6,3,3000000,-;amdgpu 0000:03:00.0: amdgpu: Fetched VBIOS from VFCT\n\
     6,4,4000000,-;audit: session of bob opened\n\
     6,4,540000000,-;usb 1-1: SerialNumber: 4C530001230712115083\n SUBSYSTEM=usb\n\
     6,5,550000000,-;wlan0: authenticate with 3c:52:82:11:22:33 (local address=a0:b1:c2:d3:e4:f5)\n\
     6,6,600000000,-;systemd[1]: Hostname set to <quarknest>, alice's session, mail alice@example.org\n\
     6,7,700000000,-;[UFW BLOCK] IN=eth0 SRC=192.168.1.77 DST=192.168.1.20 LEN=40\n\
     6,8,800000000,-;vkcube[4242]: cannot open /home/alice/secret project/data.bin\n\
     3,9,812104233,-;amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=11, emitted seq=13\n\
     3,10,812104300,-;amdgpu 0000:03:00.0: amdgpu:  Process vkcube pid 4242 thread vkcube:cs0 pid 4243\n\
     6,11,812200000,-;amdgpu 0000:03:00.0: amdgpu: Ring gfx_0.0.0 reset succeeded\n";

/// A separate tree for each test.
struct Tree(PathBuf);

impl Tree {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pm4-watch-{name}-{}", std::process::id()));
        let tree = Self(path);
        tree.file("sys/class/devcoredump/disabled", "0\n");
        tree.file("proc/sys/kernel/osrelease", "7.1.8\n");
        tree.file("proc/sys/kernel/hostname", "quarknest\n");
        tree.file("proc/cmdline", "root=UUID=0b5a2f6e-1111-2222-3333-444455556666 amdgpu.gpu_recovery=1\n");
        tree.file("etc/passwd", "root:x:0:0::/root:/bin/sh\nalice:x:1000:1000:Alice Liddell,,,:/home/alice:/bin/bash\n");
        tree.file("dev/kmsg", LOG);
        tree
    }

    fn at(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }

    fn file(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a folder")).and_then(|()| fs::write(path, text)).expect("a file of the tree");
    }

    fn link(&self, to: &str, path: &str) {
        fs::create_dir_all(self.at(path).parent().expect("a folder")).and_then(|()| symlink(to, self.at(path))).expect("a link of the tree");
    }

    /// Adds a coredump of an amdgpu card, as in sysfs.
    fn dump(&self, text: impl AsRef<[u8]>) {
        self.file("sys/devices/pci/0000:03:00.0/vendor", "0x1002\n");
        self.file("sys/devices/pci/0000:03:00.0/serial_number", "a1b2c3d4e5f60718\n");
        self.file("sys/devices/pci/0000:03:00.0/fw_version/mec_fw_version", "0x00000952\n");
        for (part, value) in [("major", "11\n"), ("minor", "0\n"), ("revision", "0\n")] {
            self.file(&format!("sys/devices/pci/0000:03:00.0/ip_discovery/die/0/11/0/{part}"), value);
        }
        self.link("11", "sys/devices/pci/0000:03:00.0/ip_discovery/die/0/GC");
        self.file("sys/kernel/debug/dri/0/amdgpu_firmware_info", "MES feature version: 1, firmware version: 0x00000074\n");
        self.file("sys/bus/pci/drivers/amdgpu/uevent", "");
        self.link("../../../bus/pci/drivers/amdgpu", "sys/devices/pci/0000:03:00.0/driver");
        self.file("sys/class/drm/card0/uevent", "");
        self.link("../../../devices/pci/0000:03:00.0", "sys/class/drm/card0/device");
        self.file("sys/devices/virtual/devcoredump/devcd1/data", text);
        self.link("../../../pci/0000:03:00.0", "sys/devices/virtual/devcoredump/devcd1/failing_device");
        self.link("../../virtual/devcoredump/devcd1", "sys/devices/pci/0000:03:00.0/devcoredump");
        self.link("../../devices/virtual/devcoredump/devcd1", "sys/class/devcoredump/devcd1");
    }

    fn command(&self, more: &[&str]) -> Command {
        let mut command = Command::new(crate::examples::file("pm4"));
        command.arg("watch").arg("--root").arg(&self.0).arg("--out").arg(self.at("out")).args(["--settle", "0"]).args(more).stdin(Stdio::null());
        command
    }

    fn watch(&self, more: &[&str]) -> Output {
        self.command(more).output().expect("the program starts")
    }

    /// Returns the archives, and checks that nothing else was left.
    fn archives(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.at("out")).map(|entries| entries.flatten().map(|entry| entry.path()).collect::<Vec<_>>()).unwrap_or_default();
        assert!(entries.iter().all(|path| path.to_string_lossy().ends_with(".tar.gz")), "{entries:?}");
        entries
    }

    /// Returns the files of the only archive: names and text.
    fn kept(&self) -> Vec<(String, String)> {
        let archives = self.archives();
        assert_eq!(archives.len(), 1, "{archives:?}");
        let file = fs::File::open(&archives[0]).expect("an archive");
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
        let read = |entry: std::io::Result<tar::Entry<'_, _>>| {
            let mut entry = entry.expect("a file");
            let name = entry.path().expect("a name").display().to_string();
            let mut text = Vec::new();
            std::io::Read::read_to_end(&mut entry, &mut text).expect("all of it");
            (name, String::from_utf8_lossy(&text).into_owned())
        };
        archive.entries().expect("files").map(read).collect()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn part<'a>(files: &'a [(String, String)], name: &str) -> &'a str {
    &files.iter().find(|(other, _)| other == name).unwrap_or_else(|| panic!("{name} is not in the archive")).1
}

#[test]
fn a_coredump_that_is_there_is_kept_with_its_log_and_versions_and_explained() {
    let tree = Tree::new("there");
    tree.dump(DUMP);
    let (status, printed, complaints) = said(&tree.watch(&["--once", "--timeout", "20"]));
    assert_eq!((status, complaints.as_str()), (Some(0), ""), "{printed}");
    assert!(printed.starts_with("ring gfx_0.0.0 timed out [GPU 0000:03:00.0, navi31], process vkcube pid 4242"), "{printed}");
    assert!(printed.contains("reset of ring gfx_0.0.0: succeeded") && printed.contains("address 0x000012345000"), "{printed}");
    let files = tree.kept();
    assert_eq!(part(&files, "devcoredump.txt"), DUMP);
    assert!(part(&files, "kernel.log").contains("[  812.104233] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=11, emitted seq=13\n"));
    let versions = part(&files, "versions.txt");
    for line in
        ["kernel 7.1.8", "command line amdgpu.gpu_recovery=1", "vendor 0x1002", "die 0 GC[0] 11.0.0", "mec_fw_version 0x00000952", "MES feature version: 1"]
    {
        assert!(versions.contains(line), "{line} is not in\n{versions}");
    }
    // check reads the archive and reports the same.
    let archive = &tree.archives()[0];
    let check = Command::new(crate::examples::file("pm4")).args(["check", "--brief"]).arg(archive).output().expect("the program starts");
    let verdict = String::from_utf8_lossy(&check.stdout).into_owned();
    assert!(check.status.code() == Some(0) && !verdict.is_empty() && printed.starts_with(&verdict), "{verdict}\n{printed}");
}

#[test]
fn what_tells_people_and_machines_apart_is_taken_out_and_listed() {
    let tree = Tree::new("scrubbed");
    tree.dump(format!("{DUMP}vbios name : alice@quarknest.lan /home/alice/x\n"));
    let (status, printed, complaints) = said(&tree.watch(&["--once"]));
    assert_eq!((status, complaints.as_str()), (Some(0), ""));
    let files = tree.kept();
    for (name, text) in &files {
        for secret in
            ["alice", "Alice", "Liddell", "quarknest", "4C530001", "3c:52", "a0:b1", "0b5a2f6e", "192.168", "secret", "example.org", "a1b2c3d4", "buildhost"]
        {
            assert!(!text.contains(secret), "{secret} is in {name}:\n{text}");
        }
    }
    let log = part(&files, "kernel.log");
    for kept in ["SerialNumber: SERIAL", "authenticate with MAC (local address=MAC)", "Hostname set to <HOST>, USER's session, mail MAIL", "0000:03:00.0"] {
        assert!(log.contains(kept), "{kept} is not in\n{log}");
    }
    assert!(log.contains("vkcube[4242]: cannot open /home/USER/…"), "{log}");
    // Of the lines long before the hang, only those of the driver and the machine are kept.
    assert!(log.contains("Fetched VBIOS") && !log.contains("bob"), "{log}");
    let removed = part(&files, "removed.txt");
    for line in
        ["user names: ", "host names: ", "paths below home folders: ", "mail addresses: ", "MAC addresses: 2", "serial numbers: 1", "lines of a firewall"]
    {
        assert!(removed.contains(line) && printed.contains(line), "{line} is not in\n{removed}\n{printed}");
    }
}

#[test]
fn a_coredump_that_appears_later_is_kept() {
    let tree = Tree::new("later");
    let child = tree.command(&["--once", "--timeout", "60"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    std::thread::sleep(Duration::from_millis(600));
    tree.dump(DUMP);
    let (status, printed, complaints) = said(&child.wait_with_output().expect("it ends"));
    assert_eq!((status, complaints.as_str()), (Some(0), ""), "{printed}");
    assert_eq!(part(&tree.kept(), "devcoredump.txt"), DUMP);
}

#[test]
fn without_a_coredump_the_wait_ends_with_status_1_and_no_archive() {
    let tree = Tree::new("none");
    let (status, printed, complaints) = said(&tree.watch(&["--once", "--timeout", "1"]));
    assert_eq!((status, printed.as_str(), complaints.as_str()), (Some(1), "", "watch: no coredump of amdgpu appeared\n"));
    assert_eq!(tree.archives(), Vec::<PathBuf>::new());
}

#[test]
fn a_coredump_that_vanished_is_named_and_the_wait_goes_on() {
    let tree = Tree::new("vanished");
    tree.dump(DUMP);
    fs::remove_file(tree.at("sys/devices/virtual/devcoredump/devcd1/data")).expect("it was there");
    let (status, _, complaints) = said(&tree.watch(&["--once", "--timeout", "1"]));
    assert_eq!(status, Some(1), "{complaints}");
    assert!(complaints.contains("devcd1/data is gone: the kernel drops a coredump after some minutes"), "{complaints}");
    assert_eq!(tree.archives(), Vec::<PathBuf>::new());
}

#[test]
fn a_coredump_without_end_is_cut_at_the_limit_and_the_archive_says_so() {
    let tree = Tree::new("endless");
    tree.dump([DUMP.as_bytes(), &b"regGRBM_STATUS 0xa0003028\n".repeat(1 << 17)].concat());
    let (status, printed, complaints) = said(&tree.watch(&["--once", "--limit", "1"]));
    assert_eq!((status, complaints.as_str()), (Some(0), ""), "{printed}");
    assert!(printed.contains("the coredump is longer than 1 MiB and is cut off there: --limit allows more"), "{printed}");
    let files = tree.kept();
    assert!(part(&files, "devcoredump.txt").len() == 1 << 20 && part(&files, "notes.txt").contains("--limit allows more"));
}

#[test]
fn links_that_lead_out_of_the_root_are_not_followed() {
    let tree = Tree::new("outside");
    let outside = Tree::new("outside-of-it");
    outside.dump(DUMP);
    let folder = outside.at("sys/devices/virtual/devcoredump/devcd1");
    tree.link(folder.to_str().expect("UTF-8"), "sys/class/devcoredump/devcd7");
    // Only the data leads outside.
    tree.dump("");
    fs::remove_file(tree.at("sys/devices/virtual/devcoredump/devcd1/data")).expect("it was there");
    tree.link(folder.join("data").to_str().expect("UTF-8"), "sys/devices/virtual/devcoredump/devcd1/data");
    let (status, _, complaints) = said(&tree.watch(&["--once", "--timeout", "1"]));
    assert_eq!(status, Some(1), "{complaints}");
    assert!(complaints.contains("devcd7 leads out of ") && complaints.contains("devcd1/data leads out of the root: it is not read"), "{complaints}");
    assert_eq!(tree.archives(), Vec::<PathBuf>::new());
}

#[test]
fn a_coredump_that_only_root_may_read_ends_with_what_to_do() {
    let tree = Tree::new("denied");
    tree.dump(DUMP);
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(tree.at("sys/devices/virtual/devcoredump/devcd1/data"), fs::Permissions::from_mode(0o000)).expect("permissions");
    if fs::read(tree.at("sys/devices/virtual/devcoredump/devcd1/data")).is_ok() {
        // Root can read all files, so the program runs as nobody if possible.
        let arguments = ["--reuid=65534", "--regid=65534", "--clear-groups"];
        let output = Command::new("setpriv")
            .args(arguments)
            .arg(crate::examples::file("pm4"))
            .args(["watch", "--once", "--root"])
            .arg(&tree.0)
            .arg("--out")
            .arg(&tree.0)
            .output();
        let Ok(output) = output else { return eprintln!("skipped: a coredump that may not be read (setpriv is not installed)") };
        let (status, _, complaints) = said(&output);
        if !complaints.contains("watch: ") {
            return eprintln!("skipped: a coredump that may not be read (nobody cannot start the program)");
        }
        assert_eq!(status, Some(2));
        assert!(complaints.contains("may be read by root only: run this as root (sudo pm4 watch)"), "{complaints}");
        return;
    }
    let (status, _, complaints) = said(&tree.watch(&["--once"]));
    assert_eq!(status, Some(2));
    assert!(complaints.contains("may be read by root only: run this as root (sudo pm4 watch)"), "{complaints}");
}

#[test]
fn a_kernel_that_keeps_no_coredumps_is_named() {
    let tree = Tree::new("unable");
    tree.file("sys/class/devcoredump/disabled", "1\n");
    let (status, _, complaints) = said(&tree.watch(&["--once"]));
    assert!(status == Some(2) && complaints.contains("off until the next boot"), "{complaints}");
    fs::remove_dir_all(tree.at("sys/class/devcoredump")).expect("it was there");
    let (status, _, complaints) = said(&tree.watch(&["--once"]));
    assert!(status == Some(2) && complaints.contains("CONFIG_DEV_COREDUMP=y") && complaints.contains("journalctl -k -b"), "{complaints}");
    let missing = tree.at("missing");
    let (status, _, complaints) =
        said(&Command::new(crate::examples::file("pm4")).args(["watch", "--root"]).arg(&missing).output().expect("the program starts"));
    assert!(status == Some(2) && complaints.contains("--root"), "{complaints}");
}

#[test]
fn an_archive_that_cannot_be_written_leaves_nothing_behind() {
    let tree = Tree::new("unwritable");
    tree.dump(DUMP);
    tree.file("out", "a file in place of the folder");
    let (status, printed, complaints) = said(&tree.watch(&["--once"]));
    assert_eq!((status, printed.as_str()), (Some(2), ""), "{complaints}");
    assert!(complaints.contains("cannot write an archive to ") && complaints.contains("--out"), "{complaints}");
    assert!(fs::read(tree.at("out")).is_ok_and(|text| text == b"a file in place of the folder"));
}

/// A file size limit stands for a full disk: both end a write in the middle of the archive.
#[test]
fn a_full_disk_leaves_no_part_of_an_archive() {
    let tree = Tree::new("full");
    let noise: String = (0u32..20_000).map(|n| format!("{:08x}\n", (n ^ n << 13).wrapping_mul(0x9E37_79B1).rotate_left(n % 32))).collect();
    tree.dump([DUMP, &noise].concat());
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$@\"", "sh"]).arg(crate::examples::file("pm4"));
    limited.args(["watch", "--once", "--settle", "0", "--root"]);
    let (status, printed, complaints) = said(&limited.arg(&tree.0).arg("--out").arg(tree.at("out")).output().expect("a shell"));
    assert_eq!((status, printed.as_str()), (Some(2), ""), "{complaints}");
    assert!(complaints.contains("cannot write an archive to ") && complaints.contains("--out"), "{complaints}");
    assert_eq!(fs::read_dir(tree.at("out")).map_or(0, Iterator::count), 0, "a part is left");
    // The coredump still exists: with enough room it is stored.
    assert_eq!(said(&tree.watch(&["--once"])).0, Some(0));
    assert!(tree.archives().iter().all(|archive| fs::metadata(archive).is_ok_and(|file| file.len() > 16 * 1024)));
}

#[test]
fn coredumps_of_other_drivers_are_left_alone() {
    let tree = Tree::new("other");
    tree.file("sys/class/devcoredump/devcd3/data", "a coredump of a network card");
    let (status, _, complaints) = said(&tree.watch(&["--once", "--timeout", "1"]));
    assert!(status == Some(1) && complaints.contains("devcd3/data is of another driver"), "{complaints}");
    let tree = Tree::new("other-driver");
    tree.file("sys/devices/wifi/uevent", "");
    tree.file("sys/bus/pci/drivers/ath11k/uevent", "");
    tree.link("../../bus/pci/drivers/ath11k", "sys/devices/wifi/driver");
    tree.file("sys/class/devcoredump/devcd3/data", DUMP);
    tree.link("../../../devices/wifi", "sys/class/devcoredump/devcd3/failing_device");
    let (status, _, complaints) = said(&tree.watch(&["--once", "--timeout", "1"]));
    assert_eq!((status, complaints.as_str()), (Some(1), "watch: no coredump of amdgpu appeared\n"));
}

#[test]
fn the_newest_report_of_radv_is_in_the_archive() {
    let tree = Tree::new("radv");
    tree.dump(DUMP);
    tree.file("home/alice/radv_dumps_4242_2026.11.28_22.00.00/trace.log", "commands of /home/alice/game\n");
    tree.file("home/alice/radv_dumps_4242_2026.11.28_22.00.00/app_info.log", "alice plays\n");
    symlink(Path::new("/etc/hostname"), tree.at("home/alice/radv_dumps_4242_2026.11.28_22.00.00/dmesg.log")).expect("a link");
    let (status, printed, complaints) = said(&tree.watch(&["--once"]));
    assert_eq!((status, complaints.as_str()), (Some(0), ""));
    let files = tree.kept();
    assert_eq!((part(&files, "radv/trace.log"), part(&files, "radv/app_info.log")), ("commands of /home/USER/…\n", "USER plays\n"));
    assert!(printed.contains("radv/dmesg.log leads out of the root: it is not read") || !Path::new("/etc/hostname").exists(), "{printed}");
}

#[test]
fn without_a_log_the_coredump_is_kept_and_the_reason_is_named() {
    let tree = Tree::new("no-log");
    tree.dump(DUMP);
    fs::remove_file(tree.at("dev/kmsg")).expect("it was there");
    let (status, printed, _) = said(&tree.watch(&["--once"]));
    assert!(status == Some(0) && printed.contains("no kernel log: /dev/kmsg is not there"), "{printed}");
    assert!(tree.kept().iter().all(|(name, _)| name != "kernel.log"));
}
