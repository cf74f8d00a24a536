#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstddef>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace tradewind::study {

/// Calls body(0) .. body(count - 1) on the arena's threads and waits for all of them.
///
/// Debian's oneTBB is not built for ThreadSanitizer, which therefore can't see that work is handed
/// to a thread before it runs and is done before the call returns. Told so here, it still finds
/// races between the calls themselves; what TBB does inside is left out by tests/tsan.supp.
template <class Body>
void parallel_for(tbb::task_arena& arena, std::size_t count, const Body& body) {
  [[maybe_unused]] char handed_over = 0, done = 0;
#if defined(__SANITIZE_THREAD__)
  __tsan_release(&handed_over);
#endif
  arena.execute([&] {
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
#if defined(__SANITIZE_THREAD__)
      __tsan_acquire(&handed_over);
#endif
      body(i);
#if defined(__SANITIZE_THREAD__)
      __tsan_release(&done);
#endif
    });
  });
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(&done);
#endif
}

}  // namespace tradewind::study
