//! Inputs that are packed: each packing, damaged ones, archives of several files, and what asks for too much memory.

use crate::input_samples as samples;
use pm4::input::{EventKind, Input, InputError, InputForm, Source};

/// A log that is packed in each way, by its usual program.
const LOG: &str = "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=11, emitted seq=13\n\
     amdgpu 0000:03:00.0: amdgpu:  Process vkcube pid 4242 thread vkcube:cs0 pid 4243\n\
     amdgpu 0000:03:00.0: amdgpu: Ring gfx_0.0.0 reset succeeded\n";
const XZ: &str = "fd377a585a000004e6d6b446020021011c00000010cf58cce000e100835d00309b48b08468aa5ff7965a33d13cd47f5924c91ae2f92aac4c0951a49ad9c8e48e199501f596ae0743a917b9\
     de03eedbfb29ebbf141ad59c460a4dad71410e6032d8523ed1f314e0deefbe37d118e9bcaca1d4e4655dcef933ab87b6cdfafcc01e550b484718c8ee5cbfeec491dc0e8ada6eaf6d3d53a0\
     4d4450d15e25b4d40bb6000000007aebd8d4d08cb0a700019f01e20100007fbab16fb1c467fb020000000004595a";
const ZSTD: &str = "28b52ffd24e2dd030082471818806d0e8084448f004d214db4135f06e88e16898d7ea2a97ac0f2323b37fb929b23a2edd8368e8cfc500cc5174a6765ba867a37bb281e070829e1c30f04c1\
     98b8bfec34e8c17e2067c40f94d7a54b936a797f108c6767ba5419a14c3fa5b74f0b08002993850a0df824649dcc61f86298f9204e0c01800bfdfddb1f";
const LZMA: &str = "5d00008000ffffffffffffffff00309b48b08468aa5ff7965a33d13cd47f5924c91ae2f92aac4c0951a49ad9c8e48e199501f596ae0743a917b9de03eedbfb29ebbf141ad59c460a4dad71\
     410e6032d8523ed1f314e0deefbe37d118e9bcaca1d4e4655dcef933ab87b6cdfafcc01e550b484718c8ee5cbfeec491dc0e8ada6eaf6d3d53a04d4450d15e25b4d427d33516fef74d72e0";
const ZIP: &str = "504b030414000200080009b17c5de026212581000000e2000000070000006c6f672e747874858e4b0a02311044f7738a3ac030f47c5601ef205e4062ba8d41e763ba231edf419c851bad5d\
     bd8247f991e352406b1cf58ea82107ff860e394d11f1fc3caeb421581a652e5643539cfc4d182af75ddbd69031996dbdaffc2f29f6790ea28ac735949360498ca11b3ad8258be70f764169\
     9bfe080fdf2fb3a818b48420c2c2d50b504b01021e0314000200080009b17c5de026212581000000e2000000070000000000000001000000a481000000006c6f672e747874504b05060000\
     00000100010035000000a60000000000";
const BZIP2: &str = "425a68393141592653591d8d8fd90000375b80401040057c125000bfefff402000928694f50f534c9900034d1a681249a265193046401a64d24a8635eca04dc29999508d44b6b65b4ae944\
     446e0e838b826562828a9e262a0d52ae635c3a6bd60afd499b8ff7251545e35c3429a0c1f3441404b9f5e96394f0aa0e030081ac04b90a8e2b67c2e22adcd308f611140ddcfd65ee49999b\
     3b5ce370aa279c8dcfe2ee48a70a1203b1b1fb20";

const DUMP: &str = "**** AMDGPU Device Coredump ****\nkernel: 7.1.8\nHWIP: GC[1][0]: v11.0.0.0.0\nIP Type: 0 Ring Name: gfx_0.0.0\n";

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).expect("a digit") as u8;
    hex.as_bytes().chunks(2).map(|pair| digit(&pair[0]) << 4 | digit(&pair[1])).collect()
}

fn read(bytes: &[u8]) -> Result<Input, InputError> {
    Source::open(bytes, None).and_then(Source::load)
}

/// The log, packed.
pub fn rows() -> [(&'static str, Vec<u8>); 4] {
    [("xz", bytes(XZ)), ("zstd", bytes(ZSTD)), ("lzma", bytes(LZMA)), ("zip", bytes(ZIP))]
}

/// Files as `tar -c` stores them.
pub fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = tar::Builder::new(Vec::new());
    for (name, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        out.append_data(&mut header, name, *bytes).expect("memory takes everything");
    }
    out.into_inner().expect("memory takes everything")
}

#[test]
fn each_packing_is_unpacked_and_named() {
    for (name, packed) in rows() {
        let input = read(&packed).expect(name);
        assert_eq!((input.form, input.packed.as_slice(), input.damage.as_slice()), (InputForm::KernelLog, &[name][..], &[][..]), "{name}");
        assert_eq!(input.events, read(LOG.as_bytes()).expect("a log").events, "{name}");
        assert!(input.record("f").contains(&format!("\"packing\":[\"{name}\"]")) && input.lines()[0].ends_with(&format!(", packed with {name}")));
    }
    // Several frames in one file are one text. pzstd adds frames that hold no content, which begin with 0x184D2A50 and their length.
    let length = b"\x50\x2A\x4D\x18\x04\0\0\0size";
    let twice = [&bytes(ZSTD), &length[..], &bytes(ZSTD), &length[..]].concat();
    let input = read(&twice).expect("two frames");
    assert_eq!((input.events.len(), input.damage.len()), (2 * read(LOG.as_bytes()).expect("a log").events.len(), 0));
}

#[test]
fn bzip2_is_refused_with_the_command_that_unpacks_it() {
    let Err(InputError::Unknown { looks_like, advice }) = read(&bytes(BZIP2)) else { panic!("it is not read") };
    assert_eq!((looks_like, advice), ("bzip2", "unpack it first: bzip2 -d"));
}

#[test]
fn damaged_and_cut_files_give_what_is_there_or_say_how_to_unpack_them() {
    for (name, packed) in rows() {
        for cut in 0..packed.len() {
            match read(&packed[..cut]) {
                // What is left of a few bytes at the start may be words.
                Ok(input) => assert!(
                    !input.damage.is_empty() || input.form == InputForm::Raw && cut < 30 || name == "xz" || name == "lzma",
                    "{name} cut at {cut}: {input:?}"
                ),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
            let mut flipped = packed.clone();
            flipped[cut] ^= 0x55;
            let _ = read(&flipped);
        }
        assert!(read(&packed[..packed.len() / 2]).map_or(true, |input| !input.damage.is_empty()), "{name}");
    }
}

/// A long text: a decoder gives its beginning before the end is there.
#[test]
fn of_a_zip_that_was_cut_nothing_is_invented() {
    let whole = bytes(ZIP);
    let Err(InputError::Unknown { looks_like, .. }) = read(&whole[..whole.len() - 30]) else { panic!("its directory is missing") };
    assert_eq!(looks_like, "a zip archive");
}

#[test]
fn files_that_ask_for_gigabytes_are_refused() {
    // A window of 2^41 bytes, and a dictionary of 4 GiB.
    for (name, bytes) in
        [("zstd", b"\x28\xB5\x2F\xFD\x00\xF8\x01\x00\x00abcdefgh".to_vec()), ("lzma", [&b"\x5D\0\0\xFF\xFF"[..], &[0xFF; 8], &[0; 40]].concat())]
    {
        let Err(InputError::Unknown { looks_like, .. }) = read(&bytes) else { panic!("{name} is read") };
        assert_eq!(looks_like, name);
    }
}

#[test]
fn of_an_archive_the_coredump_is_read_after_the_log() {
    let files: [(&str, &[u8]); 4] =
        [("hang/devcoredump.txt", DUMP.as_bytes()), ("hang/kernel.log", LOG.as_bytes()), ("hang/versions.txt", b"pm4 0.1.0\n"), ("hang/big", &[7; 9000])];
    for packed in [tar(&files), samples::gzip(&tar(&files))] {
        let input = read(&packed).expect("an archive");
        assert_eq!((input.form, input.damage.as_slice()), (InputForm::Devcoredump, &[][..]));
        assert!(input.events.iter().any(|event| matches!(event.kind, EventKind::Timeout { .. })), "the log was read");
        let remark = &input.remarks[0].message;
        assert_eq!(remark, "of the tar archive was read: hang/kernel.log, hang/devcoredump.txt; not read: hang/versions.txt, hang/big");
    }
}

#[test]
fn files_of_an_archive_may_be_packed_themselves() {
    let input = read(&tar(&[("note", b"see the log"), ("dump.txt.gz", &samples::gzip(DUMP.as_bytes()))])).expect("an archive");
    assert_eq!((input.form, input.packed.as_slice()), (InputForm::Devcoredump, &["tar"][..]));
    let input = read(&tar(&[("log.zst", &bytes(ZSTD))])).expect("an archive");
    assert_eq!(input.form, InputForm::KernelLog);
}

#[test]
fn a_report_of_radv_may_be_packed_as_a_folder() {
    let trace = samples::mesa(&samples::submission(0x1000, 20, 1), None, pm4::chip::Gfx::Gfx11);
    let fault = b"VM fault report.\n\nFailing VM page: 0x0000000012345000\n";
    let input = read(&tar(&[("radv_dumps_1/vm_fault.log", fault), ("radv_dumps_1/trace.log", &trace)])).expect("an archive");
    assert_eq!(input.form, InputForm::Mesa);
    assert!(input.hang.is_some_and(|hang| hang.fault.is_some()), "the page fault is read after the commands");
}

#[test]
fn a_tar_archive_that_was_cut_says_so() {
    let whole = tar(&[("log.txt", LOG.as_bytes()), ("devcoredump.txt", DUMP.as_bytes())]);
    let cut = &whole[..512 + 512 + 512 + 60];
    let input = read(cut).expect("a log");
    assert!(input.damage.iter().any(|damage| damage.message.contains("the tar archive")), "{:?}", input.damage);
}
