//! The material for inputs: captures from the tests, output of tools for them, and the descriptions in `regdb/`.

use crate::samples;
use pm4::chip::{Chip, Gfx};
use pm4::isa::ShaderCode;
use pm4::packet::{Queue, Reader};
use pm4::report::{self, DumpOptions, OutputFormat};
use pm4::waves::{Section, Setup};
use pm4_regdb::diag::Source;
use std::path::{Path, PathBuf};
use std::{fs, io};

pub struct Corpus {
    /// Captured streams, with their chips.
    pub captures: Vec<(Chip, Vec<u32>)>,
    /// The words of the captured streams.
    pub streams: Vec<Vec<u32>>,
    /// Output of `dump` for short streams, as text and JSON.
    pub dumps: Vec<Vec<u8>>,
    /// Files in all input forms.
    pub files: Vec<Vec<u8>>,
    /// Manifests of submissions.
    pub manifests: Vec<Vec<u8>>,
    /// The descriptions in `regdb/`, by name.
    pub regdb: Vec<Source>,
    /// LLVM code objects.
    pub code_objects: Vec<Vec<u8>>,
    /// Ordered sections as shader words by generation, and as text.
    pub shaders: Vec<(Gfx, Vec<u32>)>,
    pub assembly: Vec<Vec<u8>>,
}

/// The address of the buffers of files.
const ADDR: u64 = 0x8001_0020_0000;

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Returns the root folder of the crate.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn toml_files(folder: &Path, name: &str, all: &mut Vec<Source>) -> io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), format!("{name}/{}", entry.file_name().to_string_lossy()));
        if path.is_dir() {
            toml_files(&path, &name, all)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            all.push(Source { name, text: fs::read_to_string(path)? });
        }
    }
    Ok(())
}

/// Returns a log in the forms in which people paste and compress it.
fn pasted() -> Vec<Vec<u8>> {
    let log = "[  812.104233] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:4 pasid:32770, for process game pid 1671 thread game:cs0 pid 1722)\n\
        [  812.104234] amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x0000709843601000 from IH client 0x1b (UTCL2)\n\
        [  812.104235] amdgpu 0000:03:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00401031\n\
        [  815.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=11, emitted seq=13\n\
        [  815.100000] amdgpu 0000:03:00.0: amdgpu:  Process game pid 1671 thread game:cs0 pid 1722\n\
        [  815.200000] [drm:gfx_v11_0_bad_op_irq [amdgpu]] *ERROR* Illegal opcode in command stream\n\
        [  816.000000] amdgpu 0000:03:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE\n\
        [  816.500000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!. Source:  3\n[  817.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset(15) succeeded!\n";
    let radv = "radv/amdgpu: The CS has been cancelled because the context is lost.\nradv: GPUVM fault detected at address 0x80002dcdf000.\n\
        GCVM_L2_PROTECTION_FAULT_STATUS: 0x401431\n\t CLIENT_ID: (SQC (data)) 0xa\n\t RW: 0\nMemory access fault by GPU node-1 on address 0x7f00. Reason: Unknown.\n";
    let cut: Vec<&str> = log.lines().flat_map(|line| [&line[..line.len().min(72)], line.get(72..).unwrap_or_default()]).collect();
    let gzip = samples::gzip(log.as_bytes());
    let mut tar = vec![0; 512];
    tar[..8].copy_from_slice(b"dump.log");
    tar[124..135].copy_from_slice(format!("{:011o}", log.len()).as_bytes());
    tar[257..263].copy_from_slice(b"ustar\0");
    tar.extend(log.bytes());
    vec![
        log.into(),
        radv.into(),
        cut.join("\n").into_bytes(),
        log.replace('\n', " ").into_bytes(),
        log.lines().map(|line| format!("> {line}\r\n")).collect::<String>().into_bytes(),
        format!("<html><pre>{}</pre></html>", log.replace('<', "&lt;")).into_bytes(),
        format!("Content-Transfer-Encoding: quoted-printable\n\n{}", log.replace('=', "=3D")).into_bytes(),
        log.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        format!("{{\"MESSAGE\":{log:?}}}").into_bytes(),
        gzip,
        tar,
        b"\x28\xB5\x2F\xFD\x24\x00\x01\x00\x00\x99\xE9\xD8\x51".to_vec(),
        b"PK\x03\x04\x14\0\0\0\x08\0aaaabbbbccccdddd".to_vec(),
        b"\xFD7zXZ\0\0\x04\xE6\xD6\xB4\x46\x02\0\x21\x01\x1C\0\0\0\x10\xCF\x58\xCC".to_vec(),
        b"\x5D\0\0\x80\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\x30\x9B\x48".to_vec(),
    ]
}

impl Corpus {
    pub fn load() -> io::Result<Self> {
        let mut captures = Vec::new();
        for (family, chip) in [("vega10", Chip::Vega10), ("navi10", Chip::Navi10), ("navi21", Chip::Navi21), ("navi31", Chip::Navi31)] {
            let mut paths: Vec<PathBuf> =
                fs::read_dir(root().join("tests/captures").join(family))?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
            paths.sort();
            for path in paths {
                let words = words_of(&fs::read(path)?);
                if !words.is_empty() {
                    captures.push((chip, words));
                }
            }
        }
        let streams: Vec<Vec<u32>> = captures.iter().map(|(_, words)| words.clone()).collect();
        let mut dumps = Vec::new();
        for (chip, words) in captures.iter().step_by(5) {
            for format in [OutputFormat::Text, OutputFormat::Json] {
                let mut out = Vec::new();
                let options = DumpOptions { format, ..DumpOptions::new(chip.gfx(), Queue::Graphics) };
                report::dump(&mut out, "stream.bin", &words[..words.len().min(60)], &options)?;
                dumps.push(out);
            }
        }
        let capture = |name: &str| fs::read(root().join("tests/captures/navi31").join(name)).map(|bytes| words_of(&bytes));
        let (calls, called) = (capture("_gfx_initial_preamble_3230bd95.bin")?, capture("_gfx_initial_preamble.ib2_0_3ff227d4.bin")?);
        let words = &capture("toggle_none_pixel_none_sample_none_s2.bin")?[..120];
        let mut files = samples::all(words, (&calls, &called), ADDR, Gfx::Gfx11);
        files.extend(dumps.iter().take(4).cloned());
        // Hangs with a complete report; without the job, only its ring is there.
        for (packet, stalled, fault) in [(0, 1 << 15, 0), (12, 1 << 11, ADDR), (20, 0, ADDR + 0x40), (25, u32::MAX, u64::MAX)] {
            let packet = packet.min(Reader::new(words).flatten().count() - 1);
            let dump = samples::devcoredump(&samples::Crash { stalled, fault, ..samples::Crash::at(words, ADDR, packet, packet % 8) });
            let job = dump.windows(5).position(|text| text == b"IB #0").unwrap_or(dump.len());
            files.extend([dump[..job].to_vec(), dump]);
        }
        files.extend(pasted());
        let manifests = vec![
            b"{\"type\":\"submission\",\"chip\":\"navi31\",\"closed\":true}\n{\"type\":\"firmware\",\"me\":2150,\"pfp\":2200}\n{\"type\":\"board\",\"shader_engines\":4}\n\
              {\"type\":\"memory\",\"words\":[\"0x00000000\",\"0x1\"],\"addr\":\"0x800000001000\"}\n{\"type\":\"register\",\"name\":\"DB_SHADER_CONTROL\",\"value\":\"0x10\"}\n\
              {\"type\":\"expect\",\"addr\":\"0x800000001000\",\"bytes\":4,\"by\":\"the compositor\"}\n\
              {\"type\":\"submit\",\"queue\":\"gfx\",\"words\":[\"0xc0012d00\",3,2],\"addr\":\"0x800000100000\"}\n{\"type\":\"submit\",\"queue\":\"compute2\",\"words\":[\"0xc0001000\",0]}\n"
                .to_vec(),
            b"{\"type\":\"submission\",\"chip\":\"vega10\",\"partial\":true}\n# a remark\n{\"type\":\"submit\",\"queue\":\"constant\",\"words\":[\"0xc0001000\",0],\"ring\":false}\n\
              {\"type\":\"register\",\"addr\":\"0x2880c\",\"value\":1}\n{\"type\":\"submit\",\"name\":\"x\",\"words\":[\"0xc0012d00\",\"0x3\",\"0x2\"]}\n"
                .to_vec(),
        ];
        let entries: Vec<PathBuf> = fs::read_dir(root().join("tests/code_objects"))?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        let mut paths: Vec<_> = entries.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "elf")).collect();
        paths.sort();
        let code_objects = paths.into_iter().map(fs::read).collect::<io::Result<_>>()?;
        let mut regdb = Vec::new();
        toml_files(&root().join("regdb"), "regdb", &mut regdb)?;
        let mut shaders = Vec::new();
        let mut assembly = Vec::new();
        for gfx in [Gfx::Gfx9, Gfx::Gfx10, Gfx::Gfx103, Gfx::Gfx11, Gfx::Gfx115, Gfx::Gfx12] {
            if let Ok(words) = Section::of(&Setup::plain(gfx)).words() {
                let code = ShaderCode::decode(gfx, &words);
                for item in 0..code.items().len() {
                    let line = code.line(item).to_string();
                    let text = line.split_once(':').map_or(line.as_str(), |(_, text)| text).trim();
                    assembly.push(text.split("  ").next().unwrap_or("").as_bytes().to_vec());
                }
                shaders.push((gfx, words));
            }
        }
        Ok(Self { captures, streams, dumps, files, manifests, regdb, code_objects, shaders, assembly })
    }
}
