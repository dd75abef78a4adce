//! An allocator that remembers what each thread asked for, to test claims about memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Watching;

#[global_allocator]
static WATCHING: Watching = Watching;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn note(change: isize) {
    // A thread that is ending has no counters left; what it frees then concerns no test.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + change);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

#[expect(
    unsafe_code,
    reason = "an allocator can be watched in no other way; each call goes to the system's \
              allocator unchanged, so its contract holds as it did"
)]
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as isize);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size as isize - layout.size() as isize);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Runs `work` on this thread; its result, and the most bytes it held beyond those held before.
pub(crate) fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = work();
    (result, usize::try_from(PEAK.get() - before).unwrap_or(0))
}

#[test]
fn the_watch_sees_what_is_asked_for_and_freed() {
    let ((), peak) = peak_of(|| {
        drop(std::hint::black_box(vec![1_u8; 1 << 20]));
        drop(std::hint::black_box(vec![1_u8; 1 << 19]));
    });
    assert!(((1 << 20)..(1 << 20) + 4096).contains(&peak), "{peak}");
}
