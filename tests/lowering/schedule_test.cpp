#include "sim/lowering/schedule/schedule.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "sim/lowering/schedule/in_flight.h"
#include "sim/scenario/training.h"
#include "tests/catch.h"
#include "tests/lowering/schedule_simulation.h"

namespace tradewind::lowering {
namespace {

/// Unequal on purpose; W < F < B as arXiv 2401.10241, table 1, finds for transformers.
constexpr ChunkTimes kTimes{10, 12, 8, 0};
constexpr std::int64_t kForward = 10, kInput = 12, kWeight = 8;
constexpr std::int64_t kBoth = kForward + kInput + kWeight;

ScheduleShape shape_of(int stages, int micro_batches, int virtual_stages = 1) {
  return {stages, micro_batches, virtual_stages, {}};
}

std::int64_t makespan(const Schedule& schedule, const ScheduleShape& shape,
                      const ChunkTimes& times = kTimes) {
  return run_schedule(schedule, shape, times).makespan.ps;
}

/// Most micro-batches (of one chunk each) that a device holds.
int held(const Schedule& schedule, const ScheduleShape& shape, int device) {
  const std::vector<double> alike(static_cast<std::size_t>(schedule.chunks(shape)), 1.0);
  const auto programs = schedule.programs(shape);
  return most_in_flight(programs[static_cast<std::size_t>(device)], alike).total;
}

}  // namespace

TEST_CASE("schedules have the names that scenarios use, in their order") {
  REQUIRE(schedules().size() == scenario::kScheduleNames.size());
  for (std::size_t i = 0; i < schedules().size(); ++i) {
    CHECK(schedules()[i].name == scenario::kScheduleNames[i]);
    CHECK(find_schedule(scenario::kScheduleNames[i]).name == scenario::kScheduleNames[i]);
  }
}

TEST_CASE("GPipe and 1F1B idle (p - 1)/m of the ideal time (arXiv 2104.04473, section 2.2.1)") {
  for (const int p : {1, 2, 3, 4, 8, 16}) {
    for (const int m : {1, 2, 5, 8, 32}) {
      CAPTURE(p, m);
      CHECK(makespan(gpipe(), shape_of(p, m)) == (m + p - 1) * kBoth);
      CHECK(makespan(one_forward_one_backward(), shape_of(p, m)) == (m + p - 1) * kBoth);
    }
  }
}

TEST_CASE("interleaving with v chunks leaves 1/v of the bubble (arXiv 2104.04473, section 2.2.2)") {
  for (const int p : {1, 2, 4, 8}) {
    for (const int v : {1, 2, 3, 8}) {
      for (const int groups : {1, 2, 4}) {
        CAPTURE(p, v, groups);
        const ScheduleShape shape = shape_of(p, groups * p, v);
        // One chunk takes a v-th of the stage: the bubble is p - 1 chunks.
        CHECK(makespan(interleaved(), shape) == (shape.micro_batches * v + p - 1) * kBoth);
      }
    }
  }
}

TEST_CASE("zero-bubble schedules idle as arXiv 2401.10241, table 2, states") {
  for (const int p : {2, 3, 4, 8}) {
    for (const int m : {2 * p, 3 * p + 1, 4 * p}) {
      CAPTURE(p, m);
      const ScheduleShape shape = shape_of(p, m);
      CHECK(run_schedule(zb_h1(), shape, kTimes).longest_span.ps ==
            m * kBoth + (p - 1) * (kForward + kInput - kWeight));
      CHECK(run_schedule(zb_h2(), shape, kTimes).longest_span.ps ==
            m * kBoth + (p - 1) * (kForward + kInput - 2 * kWeight));
      CHECK(run_schedule(zb_h2(), shape, {}).longest_span.ps == 3 * m);
    }
  }
}

TEST_CASE("ZB-V has no bubble where passes are equal, in 1F1B's memory") {
  for (const int p : {2, 3, 4, 5, 8}) {
    for (const int m : {2 * p, 3 * p, 4 * p + 1}) {
      CAPTURE(p, m);
      const ScheduleShape shape = shape_of(p, m);
      CHECK(run_schedule(zb_v(), shape, {}).longest_span.ps == 6 * m);
      for (int device = 0; device < p; ++device) CHECK(held(zb_v(), shape, device) <= 2 * p);
    }
  }
}

TEST_CASE("DualPipe idles (p/2 - 1)(F&B + B - 3W) (deepseek-ai/DualPipe, table of schedules)") {
  for (const int p : {2, 4, 8}) {
    for (const int m : {2 * p, 3 * p, 4 * p}) {
      CAPTURE(p, m);
      const ScheduleShape shape = shape_of(p, m);
      // In its notation B is the whole backward pass, and a pair takes F + B where nothing of it
      // runs side by side. The statement is about F < B, and B - W no longer than F.
      const ChunkTimes times{10, 10, 8, 0};
      const std::int64_t backward = 18, bubble = (p / 2 - 1) * (28 + backward - 3 * 8);
      CHECK(makespan(dualpipe(), shape, times) == m * 28 + bubble);
      for (int device = 0; device < p; ++device) CHECK(held(dualpipe(), shape, device) == p + 1);
    }
  }
}

TEST_CASE("searched schedules are at least as good as the handcrafted ones of their memory") {
  for (const int p : {2, 4, 8}) {
    for (const int m : {p, 3 * p}) {
      CAPTURE(p, m);
      ScheduleShape shape = shape_of(p, m);
      shape.times = {10, 12, 8, 1};
      const auto span = [&](const Schedule& schedule) {
        return run_schedule(schedule, shape, shape.times).longest_span;
      };
      CHECK(span(zb_searched(1)) <= span(zb_h1()));
      CHECK(span(zb_searched(2)) <= span(zb_h2()));
      CHECK(held(zb_searched(1), shape, 0) <= p);
      CHECK(held(zb_searched(2), shape, 0) <= 2 * p);
    }
  }
}

TEST_CASE("micro-batches in flight are those that the authors state") {
  for (const int p : {2, 4, 8}) {
    const int m = 4 * p;
    CHECK(held(gpipe(), shape_of(p, m), 0) == m);
    for (int stage = 0; stage < p; ++stage) {
      CAPTURE(p, stage);
      // arXiv 2205.05198, section 4.2.3: stage s of 1F1B holds p - s.
      CHECK(held(one_forward_one_backward(), shape_of(p, m), stage) == p - stage);
      // arXiv 2401.10241, table 2, where what waits for its weight gradient counts too.
      CHECK(held(zb_h1(), shape_of(p, m), stage) == p);
      CHECK(held(zb_h2(), shape_of(p, m), stage) == 2 * p - 1);
    }
    // arXiv 2205.05198, section 4.2.3: p (1 + (p - 1)/(p v)) micro-batches of a whole stage.
    for (const int v : {2, 4}) CHECK(held(interleaved(), shape_of(p, m, v), 0) == p * v + p - 1);
  }
}

TEST_CASE("a turn's messages in one batch hold its device once") {
  constexpr std::int64_t kMessage = 3;
  const auto of = [&](Sends sends, int groups, double transfer) {
    ChunkTimes times = kTimes;
    times.transfer = transfer;
    return run_schedule(interleaved(), shape_of(4, 4 * groups, 2), times, sends).makespan.ps;
  };
  // Free messages leave the closed form, though turns wait for what comes from both sides.
  for (const int groups : {1, 2, 4}) {
    CHECK(of(Sends::batched, groups, 0) == of(Sends::beside, groups, 0));
  }
  // Four more micro-batches are eight more turns of each device.
  const auto turn = [&](Sends sends) {
    return (of(sends, 9, kMessage) - of(sends, 8, kMessage)) / 8;
  };
  CHECK(turn(Sends::holding) == kBoth + 2 * kMessage);
  CHECK(turn(Sends::batched) == kBoth + kMessage);
}

TEST_CASE("every allowed shape runs to its end, each operation once on each chunk") {
  // No deadlock: the engine's graph refuses cycles. A stride keeps the test short.
  for (const Schedule& schedule : schedules()) {
    for (int p = 2; p <= 32; p += p < 6 ? 1 : 13) {
      for (int m = 1; m <= 64; m += m < 4 ? 1 : 20) {
        for (const int v : {1, 2, 5, 8}) {
          const ScheduleShape shape = shape_of(p, m, v);
          if (!schedule.refusal(shape).empty()) continue;
          CAPTURE(schedule.name, p, m, v);
          const std::int64_t passes = m * (schedule.bidirectional ? p : schedule.chunks(shape));
          for (const Sends sends : {Sends::beside, Sends::holding, Sends::batched}) {
            if (sends != Sends::beside && schedule.bidirectional) continue;
            const ScheduleRun run = run_schedule(schedule, shape, {10, 12, 8, 3}, sends);
            Time busy;
            for (const Time& device : run.busy) busy += device;
            CHECK(busy.ps == passes * kBoth);
          }
        }
      }
    }
  }
}

TEST_CASE("a shape that a schedule can't take is refused with a reason") {
  CHECK(one_forward_one_backward().refusal(shape_of(4, 8, 2)) ==
        "1f1b has 1 of the model's chunks on a stage: virtual_stages can't be 2");
  CHECK(interleaved().refusal(shape_of(4, 6, 2)) ==
        "interleaved-1f1b takes micro-batches in groups of pp 4: 6 are not whole groups");
  CHECK(dualpipe().refusal(shape_of(3, 8)) == "dualpipe pairs the stages: pp 3 is odd");
  CHECK(!dualpipe().refusal(shape_of(4, 6)).empty());
}

}  // namespace tradewind::lowering
