//! Where clusters lie.

/// The number of the first cluster.
const FIRST: u32 = 2;

/// The place and size of the clusters of a volume. The last one ends within 64 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clusters {
    /// The position of the first cluster.
    pub start: u64,
    /// The size of a cluster in bytes.
    pub size: u64,
    /// The number of clusters.
    pub count: u32,
}

impl Clusters {
    /// Returns the position of a cluster, if there is one with this number.
    pub fn place(&self, cluster: u32) -> Option<u64> {
        self.index(cluster).map(|index| self.place_of_index(index))
    }

    /// Returns the position of a cluster, counted from 0.
    pub fn place_of_index(&self, index: u32) -> u64 {
        self.start.saturating_add(u64::from(index).saturating_mul(self.size))
    }

    /// Returns the number of a cluster, counted from 0, if there is one with this number.
    pub fn index(&self, cluster: u32) -> Option<u32> {
        cluster.checked_sub(FIRST).filter(|index| *index < self.count)
    }

    /// Returns the number of the cluster that has the byte at a position.
    pub fn at(&self, position: u64) -> Option<u32> {
        let index = u32::try_from(position.checked_sub(self.start)? / self.size.max(1)).ok()?;
        (index < self.count).then(|| index.saturating_add(FIRST))
    }

    /// Returns the number of clusters for that many bytes.
    pub fn needed(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.size.max(1))
    }

    /// Returns the position of the first byte behind the last cluster.
    pub fn end(&self) -> u64 {
        self.place_of_index(self.count)
    }
}
