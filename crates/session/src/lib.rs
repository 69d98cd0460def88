//! The session folder of a tool runtime: large results kept on disk.
