#include "sim/engine/event_queue.h"

#include <algorithm>
#include <random>
#include <vector>

#include "tests/catch.h"
#include "tests/engine/plan.h"

using tradewind::Time;
using tradewind::engine::EventQueue;

TEST_CASE("a queue of no streams is empty") {
  EventQueue queue;
  queue.reset(0);
  CHECK(queue.empty());
}

TEST_CASE("the first event is the earliest, and of equal ones that of the lowest stream") {
  EventQueue queue;
  queue.reset(5);
  queue.set(4, Time{20});
  queue.set(2, Time{10});
  queue.set(3, Time{10});
  CHECK(queue.next_time() == Time{10});
  CHECK(queue.next_stream() == 2);
  queue.set(2, EventQueue::kNever);
  CHECK(queue.next_stream() == 3);
  queue.set(3, Time{30});
  CHECK(queue.next_time() == Time{20});
  CHECK(queue.next_stream() == 4);
}

TEST_CASE("a reset forgets all events") {
  EventQueue queue;
  queue.reset(3);
  queue.set(1, Time{1});
  queue.reset(3);
  CHECK(queue.empty());
}

TEST_CASE("any sequence of settings leaves the minimum on top") {
  std::mt19937 random(1);
  for (const std::uint32_t streams : {1U, 2U, 3U, 8U, 13U}) {
    EventQueue queue;
    queue.reset(streams);
    std::vector<Time> times(streams, EventQueue::kNever);
    for (int step = 0; step < 2000; ++step) {
      const auto stream = below(streams, random);
      times[stream] = below(3, random) == 0 ? EventQueue::kNever : Time{below(10, random)};
      queue.set(stream, times[stream]);
      const auto first = std::min_element(times.begin(), times.end());
      REQUIRE(queue.next_time() == *first);
      if (queue.empty()) continue;
      REQUIRE(queue.next_stream() == static_cast<std::uint32_t>(first - times.begin()));
    }
  }
}
