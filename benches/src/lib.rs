//! Benches that cross crates; the side-by-side runs stand in `peers/`.
