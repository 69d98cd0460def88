//! The tool runtime of AI agents: a typed builder over the layers of pegboard.
