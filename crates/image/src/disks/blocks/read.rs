//! Reads and decompresses blocks of virtual disks.

use super::map::{Blocks, Packed, Place};
use crate::error::ChunkProblem;
use crate::ewf::table::{most_stored, unreadable};
use crate::finding::{ImageLocation, ProblemKind, Span};
use crate::image::Image;
use crate::image::chunk::{BlockScratch, ReadBatch};
use crate::image::range::Window;

/// Media bytes to read: their offset, and room for them.
pub(crate) struct Piece<'a> {
    pub(crate) at: u64,
    pub(crate) out: &'a mut [u8],
}

impl Image {
    /// Reads media bytes of a virtual disk. Unreadable bytes become zeros.
    pub(crate) fn read_blocks(
        &self,
        blocks: &Blocks,
        wanted: Piece<'_>,
        scratch: &mut BlockScratch,
        outcome: &mut ReadBatch,
    ) {
        let end = wanted.at.saturating_add(wanted.out.len() as u64);
        let mut rest = wanted.out;
        for (at, stretch) in blocks.stretches(&self.files, wanted.at..end) {
            let (target, others) = rest.split_at_mut((stretch.length as usize).min(rest.len()));
            rest = others;
            let mut piece = Piece { at, out: target };
            match stretch.place {
                Place::Zeros => piece.out.fill(0),
                Place::Plain { file, offset } => self.read_plain(&mut piece, file, offset, outcome),
                Place::Packed(packed) => self.read_packed(&mut piece, &packed, scratch, outcome),
                Place::Filled(filling, offset) => filling.fill(offset, piece.out),
                Place::Backing => self.read_backing(&mut piece, scratch, outcome),
                Place::Missing => self.fail(&mut piece, None, ProblemKind::ChunkMissing, outcome),
                Place::Fault(kind) => self.fail(&mut piece, None, kind, outcome),
            }
        }
    }

    fn read_plain(&self, piece: &mut Piece<'_>, file: usize, offset: u64, outcome: &mut ReadBatch) {
        let (read, kind) = match self.files.read_at(file, offset, piece.out) {
            Ok(read) => (read, ProblemKind::ChunkOutside),
            Err(error) => (0, unreadable(&error)),
        };
        if read < piece.out.len() {
            let mut lost = Piece { at: piece.at + read as u64, out: &mut piece.out[read..] };
            self.fail(&mut lost, Some(file), kind, outcome);
        }
    }

    fn read_packed(
        &self,
        piece: &mut Piece<'_>,
        packed: &Packed,
        scratch: &mut BlockScratch,
        outcome: &mut ReadBatch,
    ) {
        if let Err(kind) = self.unpack(piece, packed, scratch) {
            self.fail(piece, Some(packed.file), kind, outcome);
        }
    }

    /// Decompresses a whole block, and copies the part that is wanted.
    fn unpack(
        &self,
        piece: &mut Piece<'_>,
        packed: &Packed,
        scratch: &mut BlockScratch,
    ) -> Result<(), ProblemKind> {
        let length = self.unpacked(packed, scratch)?;
        let within = packed.skip as usize;
        let end = within.saturating_add(piece.out.len());
        let found = scratch.block.get(within..end).filter(|_| end <= length);
        piece.out.copy_from_slice(found.ok_or(ProblemKind::ChunkLength)?);
        Ok(())
    }

    /// Decompresses a block into the scratch unless it is there. Returns its length.
    fn unpacked(&self, packed: &Packed, scratch: &mut BlockScratch) -> Result<usize, ProblemKind> {
        let BlockScratch { inflater, stored, block, held, .. } = scratch;
        let key = Packed { skip: 0, ..*packed };
        match held {
            Some((held, length)) if *held == key => return Ok(*length),
            _ => *held = None,
        }
        stored.resize(packed.stored.min(most_stored(packed.size)) as usize, 0);
        let read = self.files.read_at(packed.file, packed.offset, stored);
        let bytes = &stored[..read.map_err(|error| unreadable(&error))?];
        if bytes.is_empty() {
            return Err(ProblemKind::ChunkOutside);
        }
        block.resize(packed.size as usize, 0);
        let length = inflater.unpack(packed.packing, bytes, block)?;
        *held = Some((key, length));
        Ok(length)
    }

    fn read_backing(&self, piece: &mut Piece<'_>, scratch: &mut BlockScratch, outcome: &mut ReadBatch) {
        let Some(backing) = &self.backing else { return piece.out.fill(0) };
        let window = scratch.backing.get_or_insert_with(|| Box::new(Window::default()));
        let mut done = 0;
        while done < piece.out.len() {
            let at = piece.at + done as u64;
            // One chunk at a time, so that an unreadable one does not hide others.
            let room = (backing.chunk_size() - at % backing.chunk_size()) as usize;
            let length = room.min(piece.out.len() - done);
            let part = &mut piece.out[done..done + length];
            match backing.read_at(at, part, window) {
                Ok(read) => part[read..].fill(0),
                Err(problem) => self.fail(&mut Piece { at, out: part }, None, problem.kind, outcome),
            }
            done += length;
        }
    }

    /// Fills a piece with zeros, and notes its problem, which is one of a file if that is known.
    fn fail(&self, piece: &mut Piece<'_>, file: Option<usize>, kind: ProblemKind, outcome: &mut ReadBatch) {
        piece.out.fill(0);
        let media = Some(Span { first: piece.at, count: piece.out.len() as u64 });
        let place =
            file.map_or_else(ImageLocation::default, |file| ImageLocation::file(self.files.path(file)));
        let chunk = piece.at / self.chunk_size;
        outcome.problems.push(ChunkProblem { chunk, kind, place: ImageLocation { media, ..place } });
    }
}
