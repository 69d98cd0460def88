//! EnterWorktree and ExitWorktree on real repositories.
