//! Which tools exist, under which names, for whom: catalog, gates, and the immutable tool pool.
