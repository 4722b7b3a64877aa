//! The formats of the Compression Standard, chunk by chunk.

use std::io::Write;

use brotli::enc::StandardAlloc;
use brotli::{BrotliDecompressStream, BrotliResult, BrotliState, CompressorWriter};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// How much output is made room for at a time.
const STEP_BYTES: usize = 32 * 1024;

/// A format of `CompressionStream`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Format {
    Brotli,
    Deflate,
    DeflateRaw,
    Gzip,
}

impl Format {
    /// The format of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "brotli" => Format::Brotli,
            "deflate" => Format::Deflate,
            "deflate-raw" => Format::DeflateRaw,
            "gzip" => Format::Gzip,
            _ => return None,
        })
    }
}

/// What a chunk gives: bytes, and why the input is malformed if it is.
pub(crate) type Given = (Vec<u8>, Option<&'static str>);

const MALFORMED: &str = "The compressed data is malformed.";
const TRUNCATED: &str = "The compressed data ended early.";
const EXTRA: &str = "There is data after the end of the compressed data.";
const NO_MEMORY: &str = "There is not enough memory for the output.";

/// A compressor or decompressor of one stream.
pub(crate) enum Codec {
    Deflate(Compress),
    Inflate { engine: Decompress, ended: bool },
    BrotliCompress(Box<CompressorWriter<Vec<u8>>>),
    BrotliExpand(Box<Expander>),
}

/// The state of a brotli decompressor.
pub(crate) struct Expander {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    ended: bool,
}

impl Codec {
    /// A compressor of a format, at the level its makers chose.
    pub(crate) fn compressor(format: Format) -> Self {
        match format {
            Format::Brotli => Codec::BrotliCompress(Box::new(CompressorWriter::new(Vec::new(), 4096, 5, 22))),
            Format::Deflate => Codec::Deflate(Compress::new(Compression::default(), true)),
            Format::DeflateRaw => Codec::Deflate(Compress::new(Compression::default(), false)),
            Format::Gzip => Codec::Deflate(Compress::new_gzip(Compression::default(), 15)),
        }
    }

    /// A decompressor of a format.
    pub(crate) fn decompressor(format: Format) -> Self {
        let engine = match format {
            Format::Brotli => {
                let alloc = StandardAlloc::default;
                let state = BrotliState::new(alloc(), alloc(), alloc());
                return Codec::BrotliExpand(Box::new(Expander { state, ended: false }));
            }
            Format::Deflate => Decompress::new(true),
            Format::DeflateRaw => Decompress::new(false),
            Format::Gzip => Decompress::new_gzip(15),
        };
        Codec::Inflate { engine, ended: false }
    }

    /// Takes a chunk of input; the `last` one may be empty.
    pub(crate) fn run(&mut self, chunk: &[u8], last: bool) -> Given {
        match self {
            Codec::Deflate(engine) => deflate(engine, chunk, last),
            Codec::Inflate { engine, ended } => inflate(engine, ended, chunk, last),
            Codec::BrotliCompress(writer) => compress_brotli(writer, chunk, last),
            Codec::BrotliExpand(expander) => expand_brotli(expander, chunk, last),
        }
    }
}

fn deflate(engine: &mut Compress, mut chunk: &[u8], last: bool) -> Given {
    let mut output = Vec::new();
    let flush = if last { FlushCompress::Finish } else { FlushCompress::None };
    loop {
        if output.try_reserve(STEP_BYTES).is_err() {
            return (output, Some(NO_MEMORY));
        }
        let before = engine.total_in();
        let Ok(status) = engine.compress_vec(chunk, &mut output, flush) else {
            return (output, Some(MALFORMED));
        };
        chunk = &chunk[taken(before, engine.total_in())..];
        let full = output.len() == output.capacity();
        if status == Status::StreamEnd || (!last && chunk.is_empty() && !full) {
            return (output, None);
        }
    }
}

fn inflate(engine: &mut Decompress, ended: &mut bool, mut chunk: &[u8], last: bool) -> Given {
    let mut output = Vec::new();
    while !*ended {
        if output.try_reserve(STEP_BYTES).is_err() {
            return (output, Some(NO_MEMORY));
        }
        let (before, length) = (engine.total_in(), output.len());
        let Ok(status) = engine.decompress_vec(chunk, &mut output, FlushDecompress::None) else {
            return (output, Some(MALFORMED));
        };
        chunk = &chunk[taken(before, engine.total_in())..];
        *ended = status == Status::StreamEnd;
        let stalled = engine.total_in() == before && output.len() == length;
        if stalled || (chunk.is_empty() && output.len() < output.capacity()) {
            break;
        }
    }
    let fault = ending(*ended, chunk, last);
    (output, fault)
}

// What is wrong once a chunk was taken: input behind the end, or an end that never came.
fn ending(ended: bool, rest: &[u8], last: bool) -> Option<&'static str> {
    if ended && !rest.is_empty() {
        return Some(EXTRA);
    }
    (last && !ended).then_some(TRUNCATED)
}

fn taken(before: u64, after: u64) -> usize {
    usize::try_from(after - before).expect("no more is taken than was given")
}

fn compress_brotli(writer: &mut CompressorWriter<Vec<u8>>, chunk: &[u8], last: bool) -> Given {
    if writer.write_all(chunk).is_err() {
        return (Vec::new(), Some(MALFORMED));
    }
    if !last {
        return (std::mem::take(writer.get_mut()), None);
    }
    // Only letting go of the writer ends its stream.
    let spent = std::mem::replace(writer, CompressorWriter::new(Vec::new(), 4096, 5, 22));
    (spent.into_inner(), None)
}

fn expand_brotli(expander: &mut Expander, chunk: &[u8], last: bool) -> Given {
    let mut output = Vec::new();
    let mut block = vec![0; STEP_BYTES];
    let (mut left, mut read, mut total) = (chunk.len(), 0, 0);
    while !expander.ended {
        let (mut room, mut written) = (block.len(), 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut read,
            chunk,
            &mut room,
            &mut written,
            &mut block,
            &mut total,
            &mut expander.state,
        );
        if output.try_reserve(written).is_err() {
            return (output, Some(NO_MEMORY));
        }
        output.extend_from_slice(&block[..written]);
        match result {
            BrotliResult::ResultSuccess => expander.ended = true,
            BrotliResult::NeedsMoreOutput => {}
            BrotliResult::NeedsMoreInput => break,
            BrotliResult::ResultFailure => return (output, Some(MALFORMED)),
        }
    }
    let fault = ending(expander.ended, &chunk[read..], last);
    (output, fault)
}

#[cfg(test)]
mod tests {
    use super::{Codec, EXTRA, Format, TRUNCATED};

    const FORMATS: [Format; 4] = [Format::Brotli, Format::Deflate, Format::DeflateRaw, Format::Gzip];

    fn sample() -> Vec<u8> {
        (0..200_000_u32).map(|index| (index.wrapping_mul(index) >> 7) as u8).collect()
    }

    fn compressed(format: Format, input: &[u8], step: usize) -> Vec<u8> {
        let mut codec = Codec::compressor(format);
        let mut output = Vec::new();
        for chunk in input.chunks(step).chain([&[][..]]) {
            let (bytes, fault) = codec.run(chunk, chunk.is_empty());
            assert_eq!(fault, None);
            output.extend(bytes);
        }
        output
    }

    fn expanded(format: Format, input: &[u8], step: usize) -> (Vec<u8>, Option<&'static str>) {
        let mut codec = Codec::decompressor(format);
        let mut output = Vec::new();
        for chunk in input.chunks(step).chain([&[][..]]) {
            let (bytes, fault) = codec.run(chunk, chunk.is_empty());
            output.extend(bytes);
            if fault.is_some() {
                return (output, fault);
            }
        }
        (output, None)
    }

    #[test]
    fn what_is_compressed_expands_again_however_it_is_cut() {
        for format in FORMATS {
            for (input, step) in
                [(sample(), 65_536), (sample(), 777), (b"hello".to_vec(), 1), (Vec::new(), 1)]
            {
                let packed = compressed(format, &input, step);
                assert_eq!(expanded(format, &packed, step), (input, None), "{format:?} by {step}");
            }
        }
    }

    #[test]
    fn a_stream_that_ends_early_or_late_is_refused_after_what_it_held() {
        for format in FORMATS {
            let packed = compressed(format, b"hello", 5);
            let (_, fault) = expanded(format, &packed[..packed.len() - 1], packed.len());
            assert_eq!(fault, Some(TRUNCATED), "{format:?}");
            let mut long = packed.clone();
            long.push(0);
            assert_eq!(expanded(format, &long, long.len()), (b"hello".to_vec(), Some(EXTRA)), "{format:?}");
        }
    }
}
