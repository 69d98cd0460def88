//! Full disks, read-only places, killed writers, two editors at once.
