//! Sleep, OverflowTest, TestingPermission.
