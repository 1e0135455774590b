//! Lists the partitions of an image and the files in them, or prints one file:
//!
//! ```text
//! cargo run -p hashmill-disk --example files -- IMAGE
//! cargo run -p hashmill-disk --example files -- IMAGE p1/folder/file >file
//! ```

use hashmill_disk::{
    DeletedEntries, DiskContent, Limits, Medium, Node, Range, Seekable, Walk, WalkEntry, file_system, volumes,
};
use std::error::Error;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let mut arguments = std::env::args_os().skip(1);
    let image = arguments.next().ok_or("usage: files IMAGE [PATH]")?;
    let wanted = arguments.next().map(std::ffi::OsString::into_encoded_bytes);
    let medium: Arc<dyn Medium> = Arc::new(Seekable::new(File::open(image)?)?);
    let volumes = volumes(&medium)?;
    volumes.remarks().iter().for_each(|note| eprintln!("partition table: {note}"));
    if volumes.partitions.is_empty() || volumes.has_whole {
        volume(&medium, "", wanted.as_deref())?;
    }
    for partition in volumes.partitions {
        let name = format!("p{}", partition.number);
        eprintln!("{name}: {} bytes at byte {}, {}", partition.size, partition.start, partition.kind);
        let range: Arc<dyn Medium> =
            Arc::new(Range::new(Arc::clone(&medium), partition.start, partition.size));
        // A volume that can't be read does not keep others from being read.
        if let Err(error) = volume(&range, &format!("{name}/"), wanted.as_deref()) {
            eprintln!("{name}: {error}");
        }
    }
    Ok(())
}

/// Lists the files of a volume, or prints the wanted one.
fn volume(medium: &Arc<dyn Medium>, prefix: &str, wanted: Option<&[u8]>) -> Outcome {
    let system = match file_system(medium)? {
        DiskContent::FileSystem(system) => system,
        DiskContent::Foreign { name, is_encrypted: true } => {
            return Err(format!("{name} is encrypted").into());
        }
        DiskContent::Foreign { name, .. } => return Err(format!("{name} can't be read").into()),
        DiskContent::Nothing => return Err("nothing known is there".into()),
    };
    system.info().remarks().iter().for_each(|note| eprintln!("{prefix}{note}"));
    for WalkEntry { path, node, .. } in Walk::new(&*system, DeletedEntries::LeftOut, Limits::default()) {
        let path = [prefix.as_bytes(), &path].concat();
        match (node, wanted) {
            (Ok(node), None) => println!("{:>12} {}", node.size, String::from_utf8_lossy(&path)),
            (Ok(node), Some(wanted)) if path == wanted => print(&**medium, node)?,
            (Err(problem), _) => eprintln!("{}: {problem}", String::from_utf8_lossy(&path)),
            _ => {}
        }
    }
    Ok(())
}

/// Prints the bytes of a file.
fn print(medium: &dyn Medium, node: Node) -> Outcome {
    let (content, mut offset, mut part) = (node.content?, 0, vec![0; 1 << 20]);
    loop {
        let read = content.read_at(medium, offset, &mut part)?;
        if read == 0 {
            return Ok(());
        }
        io::stdout().write_all(&part[..read])?;
        offset += read as u64;
    }
}
