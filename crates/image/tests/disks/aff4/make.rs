//! AFF4 volumes by hand: segments with the right names, and metadata.

use hashmill_digest::{find, hash};
use hashmill_testing::samples::zip::{Member, archive, member};

pub const VOLUME: &str = "aff4://volume";
pub const IMAGE: &str = "aff4://image";
pub const MAP: &str = "aff4://map";
pub const STREAM: &str = "aff4://stream";

pub const METHODS: [&str; 5] = [
    "http://aff4.org/Schema#NullCompressor",
    "http://code.google.com/p/snappy/",
    "https://code.google.com/p/lz4/",
    "https://www.ietf.org/rfc/rfc1950.txt",
    "https://tools.ietf.org/html/rfc1951",
];

/// A volume that is being made.
#[derive(Debug, Clone)]
pub struct Maker {
    pub members: Vec<Member>,
    pub turtle: String,
}

/// The sizes of a stream's chunks.
#[derive(Debug, Clone, Copy)]
pub struct Chunks {
    pub method: &'static str,
    pub size: usize,
    pub count: usize,
}

pub fn digest(name: &str, bytes: &[u8]) -> Vec<u8> {
    hash(find(name).unwrap(), bytes).as_bytes().to_vec()
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn run(start: u64, length: u64, offset: u64, target: u32) -> Vec<u8> {
    let numbers: Vec<u8> = [start, length, offset].iter().flat_map(|number| number.to_le_bytes()).collect();
    [&numbers[..], &target.to_le_bytes()].concat()
}

fn packed(method: &str, chunk: &[u8]) -> Vec<u8> {
    let mut packer = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut out = vec![0; packer.zlib_compress_bound(chunk.len())];
    match METHODS.iter().position(|known| *known == method).unwrap() {
        0 => return chunk.to_vec(),
        1 => return snap::raw::Encoder::new().compress_vec(chunk).unwrap(),
        2 => return lz4_flex::block::compress(chunk),
        3 => {
            let length = packer.zlib_compress(chunk, &mut out).unwrap();
            out.truncate(length);
        }
        _ => {
            let length = packer.deflate_compress(chunk, &mut out).unwrap();
            out.truncate(length);
        }
    }
    out
}

fn escaped(name: &str) -> String {
    name.replace("aff4://", "aff4%3A%2F%2F")
}

impl Maker {
    pub fn new() -> Maker {
        let prefixes = "@prefix aff4: <http://aff4.org/Schema#> .\n\
            @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n";
        Maker {
            members: vec![
                member("container.description", VOLUME),
                member("version.txt", "major=1\nminor=0\ntool=maker\n"),
            ],
            turtle: format!("{prefixes}<{VOLUME}> a aff4:ZipVolume .\n"),
        }
    }

    pub fn say(&mut self, statements: &str) -> &mut Self {
        self.turtle += statements;
        self.turtle.push('\n');
        self
    }

    pub fn segment(&mut self, name: &str, content: &[u8]) -> &mut Self {
        self.members.push(member(&escaped(name), content));
        self
    }

    /// Adds a stream with the digests of its chunks.
    pub fn stream(&mut self, name: &str, data: &[u8], chunks: Chunks) -> &mut Self {
        let Chunks { method, size, count } = chunks;
        let mut all = [Vec::new(), Vec::new()];
        for (number, bevy) in data.chunks(size * count).enumerate() {
            let (mut bytes, mut index, mut digests) = (Vec::new(), Vec::new(), [Vec::new(), Vec::new()]);
            for chunk in bevy.chunks(size) {
                let mut whole = chunk.to_vec();
                whole.resize(size, 0);
                let mut stored = packed(method, &whole);
                if stored.len() + 16 >= size {
                    stored = whole;
                }
                index.extend((bytes.len() as u64).to_le_bytes());
                index.extend((stored.len() as u32).to_le_bytes());
                bytes.extend(stored);
                digests[0].extend(digest("md5", chunk));
                digests[1].extend(digest("sha1", chunk));
            }
            let base = format!("{name}/{number:08}");
            self.segment(&base, &bytes).segment(&format!("{base}.index"), &index);
            for ((kind, digests), all) in ["md5", "sha1"].iter().zip(digests).zip(&mut all) {
                self.segment(&format!("{base}.blockHash.{kind}"), &digests);
                all.extend(digests);
            }
        }
        for (kind, all) in ["md5", "sha1"].iter().zip(&all) {
            let sum = hex(&digest("sha512", all));
            self.say(&format!(
                "<{name}/blockhash.{kind}> a aff4:BlockHashes ; aff4:hash \"{sum}\"^^aff4:SHA512 ."
            ));
        }
        self.say(&format!(
            "<{name}> a aff4:ImageStream ; aff4:size \"{}\"^^xsd:long ; aff4:chunkSize \"{size}\"^^xsd:int ;\n\
             aff4:chunksInSegment {count} ; aff4:compressionMethod <{method}> ; aff4:stored <{VOLUME}> .",
            data.len()
        ))
    }

    /// Adds a map with the digests of its parts.
    pub fn map(&mut self, size: u64, runs: &[u8], targets: &[&str]) -> &mut Self {
        let list: String = targets.iter().map(|target| format!("{target}\n")).collect();
        let points = hex(&digest("sha512", runs));
        let names = hex(&digest("sha512", list.as_bytes()));
        self.segment(&format!("{MAP}/map"), runs).segment(&format!("{MAP}/idx"), list.as_bytes());
        self.say(&format!(
            "<{MAP}> a aff4:Map ; aff4:size \"{size}\"^^xsd:long ; aff4:mapPointHash \"{points}\"^^aff4:SHA512 ;\n\
             aff4:mapIdxHash \"{names}\"^^aff4:SHA512 ."
        ))
    }

    /// Adds the image of a stream.
    pub fn image(&mut self, stream: &str, more: &str) -> &mut Self {
        self.say(&format!("<{IMAGE}> a aff4:DiskImage , aff4:Image ; aff4:dataStream <{stream}> {more} ."))
    }

    /// Adds the digest of the whole, from those that were stated.
    pub fn whole(&mut self) -> &mut Self {
        let stated = |mark: &str| {
            let digests = self.turtle.split(mark).skip(1).filter_map(|rest| rest.split('"').nth(1));
            digests.map(String::from).collect::<Vec<_>>()
        };
        let parts =
            [stated("BlockHashes ; aff4:hash"), stated("mapPointHash"), stated("mapIdxHash")].concat();
        let bytes: Vec<u8> = parts
            .concat()
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect();
        let sum = hex(&digest("sha512", &bytes));
        self.say(&format!("<{IMAGE}> aff4:hash \"{sum}\"^^aff4:blockMapHashSHA512 ."))
    }

    /// Returns the file.
    pub fn file(&self) -> Vec<u8> {
        let mut members = self.members.clone();
        members.push(member("information.turtle", &self.turtle));
        archive(&members)
    }
}

/// Makes a small image with a map of all kinds of runs, and its media.
pub fn small(method: &'static str) -> (Maker, Vec<u8>) {
    let mut data = b"words and words ".repeat(40);
    data.extend((0..700_u32).map(|at| ((at * at) >> 3) as u8));
    let runs = [
        run(0, 300, 100, 0),
        run(300, 200, 0, 1),
        run(600, 100, 3, 2),
        run(700, 40, 5, 3),
        run(740, 500, 640, 0),
    ];
    let targets = [
        STREAM,
        "http://aff4.org/Schema#SymbolicStreamA5",
        "http://aff4.org/Schema#UnreadableData",
        "http://aff4.org/Schema#UnknownData",
    ];
    let mut media = data[100..400].to_vec();
    media.extend([0xa5; 200]);
    media.extend([0; 100]);
    media.extend(b"UNREADABLEDATA".iter().cycle().skip(3).take(100));
    media.extend(b"UNKNOWN".iter().cycle().skip(5).take(40));
    media.extend(&data[640..1140]);
    media.extend([0; 60]);
    let mut maker = Maker::new();
    maker.stream(STREAM, &data, Chunks { method, size: 256, count: 2 });
    let size = media.len() as u64;
    maker.map(size, &runs.concat(), &targets);
    let sum = hex(&digest("sha1", &media));
    maker.image(MAP, &format!("; aff4:hash \"{sum}\"^^aff4:SHA1 ; aff4:size {size}")).whole();
    (maker, media)
}
