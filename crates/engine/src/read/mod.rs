//! Reading: devices and buffers, opening and probing files, and the choice between mapping and copying.

mod device;
mod mapping;
mod open;
mod probe;
mod read_buffers;
mod scaler;
mod spool;

pub(crate) use device::{DeviceState, DeviceStates};
pub(crate) use mapping::{AHEAD, Class, FileMap, Mapping, PHASE, ReadMethod, Sharing, WINDOW, spent};
pub(crate) use open::{OtherFiles, bad_blocks, open, within};
pub(crate) use probe::{MappedFile, ProbeOptions, Probed, Room, is_cached, probe};
pub(crate) use read_buffers::ReadBuffers;
pub(crate) use spool::spooled;
