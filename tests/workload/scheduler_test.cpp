#include "sim/workload/serving/scheduler.h"

#include <map>
#include <random>

#include "tests/catch.h"

namespace tradewind::workload {
namespace {

/// Runs a scheduler without any clock: each step ends at once, or, with several micro-batches,
/// when those before it have.
class Engine {
 public:
  Engine(const Scheduler& scheduler, const SchedulerLimits& limits, KvCache cache)
      : scheduler_(scheduler), limits_(limits), queues_(std::move(cache)) {}

  void submit(std::int32_t input, std::int32_t output, std::int32_t prefix = -1,
              std::int32_t prefix_tokens = 0) {
    Sequence sequence;
    sequence.request = static_cast<std::int64_t>(queues_.sequences.size());
    sequence.input_tokens = input;
    sequence.output_tokens = output;
    sequence.prefix = prefix;
    sequence.prefix_tokens = prefix_tokens;
    queues_.sequences.push_back(sequence);
    queues_.enqueue(static_cast<SequenceId>(sequence.request));
  }

  /// False where nothing could be scheduled.
  bool start() {
    ScheduledStep step;
    queues_.preempted.clear();
    scheduler_.schedule(queues_, limits_, step);
    preemptions += static_cast<int>(queues_.preempted.size());
    if (step.empty()) return false;
    check(step);
    for (const ScheduledSequence& one : step) queues_.of(one.id).in_flight = true;
    in_flight_.push_back(step);
    return true;
  }

  void end() {
    const ScheduledStep step = in_flight_.front();
    in_flight_.pop_front();
    for (const ScheduledSequence& one : step) {
      Sequence& sequence = queues_.of(one.id);
      sequence.in_flight = false;
      sequence.computed += one.new_tokens;
      computed_tokens += one.new_tokens;
      if (sequence.missing() > 0) continue;
      if (sequence.generated++ == 0) first_tokens.push_back(one.id);
      if (sequence.generated < sequence.output_tokens) continue;
      queues_.cache.release(sequence);
      std::erase(queues_.running, one.id);
      finished.push_back(one.id);
    }
  }

  void run() {
    const auto slots = static_cast<std::size_t>(limits_.micro_batches);
    while (finished.size() < queues_.sequences.size()) {
      while (in_flight_.size() < slots && start()) {
      }
      REQUIRE_FALSE(in_flight_.empty());  // nobody waits for ever
      end();
    }
  }

  Queues& queues() { return queues_; }
  std::vector<ScheduledStep> steps;
  std::vector<SequenceId> first_tokens, finished;
  std::int64_t computed_tokens = 0;
  int preemptions = 0;

 private:
  void check(const ScheduledStep& step) {
    std::int64_t tokens = 0;
    std::map<SequenceId, int> seen;
    for (const ScheduledSequence& one : step) {
      const Sequence& sequence = queues_.of(one.id);
      REQUIRE(one.new_tokens > 0);
      REQUIRE(one.new_tokens <= sequence.missing());
      REQUIRE_FALSE(sequence.in_flight);
      REQUIRE(++seen[one.id] == 1);
      const std::int64_t held =
          (sequence.blocks + sequence.shared_blocks) * queues_.cache.block_tokens();
      REQUIRE(held >= sequence.computed + one.new_tokens);
      tokens += one.new_tokens;
    }
    // vLLM v0 takes a prompt beyond its budget in a step of its own.
    if (step.size() > 1) REQUIRE(tokens <= limits_.token_budget());
    REQUIRE(queues_.cache.used_blocks() <= queues_.cache.capacity_blocks());
    const auto seats = static_cast<std::size_t>(limits_.max_num_seqs * limits_.micro_batches);
    REQUIRE(queues_.running.size() <= seats);
    steps.push_back(step);
  }

  const Scheduler& scheduler_;
  SchedulerLimits limits_;
  Queues queues_;
  std::deque<ScheduledStep> in_flight_;
};

SchedulerLimits limits_of(std::int64_t seats, std::int64_t budget, bool chunked = true) {
  SchedulerLimits limits;
  limits.max_num_seqs = seats;
  limits.max_num_batched_tokens = budget;
  limits.enable_chunked_prefill = chunked;
  return limits;
}

TEST_CASE("Every scheduler keeps its budget, its seats and the cache, and serves everybody") {
  std::mt19937 random(3);
  const auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (const Scheduler& scheduler : schedulers()) {
    for (int run = 0; run < 60; ++run) {
      SchedulerLimits limits = limits_of(draw(1, 20), draw(16, 400), draw(0, 1) == 1);
      limits.micro_batches = draw(1, 4);
      if (draw(0, 1) == 1) limits.capacity_policy = CapacityPolicy::max_utilization;
      Engine engine(scheduler, limits, KvCache(draw(30, 80), 16, draw(0, 1) == 1));
      std::int64_t tokens = 0;
      for (int request = 0; request < 40; ++request) {
        const int input = draw(1, 300), output = draw(1, 100);
        engine.submit(input, output, draw(-1, 3), draw(0, input));
        tokens += input + output - 1;
      }
      engine.run();
      CHECK(engine.queues().cache.used_blocks() == 0);
      CHECK(engine.queues().waiting_tokens == 0);
      // Preemption computes tokens again, prefix hits spare some.
      if (engine.preemptions == 0) CHECK(engine.computed_tokens <= tokens);
    }
  }
}

TEST_CASE("First come, first served: nobody's first token comes before that of who came earlier") {
  for (const char* name : {"vllm", "vllm-v0", "tensorrt-llm", "static"}) {
    Engine engine(*find_scheduler(name), limits_of(8, 128), KvCache(64, 16, false));
    for (int request = 0; request < 50; ++request) engine.submit(30 + request % 60, 12);
    engine.run();
    CHECK(std::is_sorted(engine.first_tokens.begin(), engine.first_tokens.end()));
  }
}

TEST_CASE("vLLM: decodes go first, the rest of the budget goes to prompts in chunks") {
  Engine engine(*find_scheduler("vllm"), limits_of(8, 100), KvCache(1000, 16, false));
  engine.submit(90, 5);
  engine.submit(150, 5);
  REQUIRE(engine.start());  // 90 of the first, 10 of the second
  CHECK(engine.steps.back().size() == 2);
  CHECK(engine.steps.back()[1].new_tokens == 10);
  engine.end();
  REQUIRE(engine.start());  // one decode, then 99 of the 140 left
  CHECK(engine.steps.back()[0].new_tokens == 1);
  CHECK(engine.steps.back()[1].new_tokens == 99);
}

TEST_CASE("vLLM: the youngest gives way when blocks run out, and computes all its tokens again") {
  Engine engine(*find_scheduler("vllm"), limits_of(8, 1000), KvCache(4, 16, false));
  engine.submit(32, 20);
  engine.submit(32, 20);
  engine.run();
  CHECK(engine.preemptions == 1);
  CHECK(engine.finished == std::vector<SequenceId>{0, 1});
  // Without preemption 2 x (32 + 19); the second had 32 tokens computed when the first wanted its
  // 33rd, and then computes its prompt and one token again.
  CHECK(engine.computed_tokens == 2 * (32 + 19) + 32);
}

TEST_CASE("vLLM v0: a step holds prompts or decodes, never both") {
  Engine engine(*find_scheduler("vllm-v0"), limits_of(8, 100), KvCache(1000, 16, false));
  for (int request = 0; request < 20; ++request) engine.submit(40, 10);
  engine.run();
  for (const ScheduledStep& step : engine.steps) {
    const auto prompts = std::count_if(
        step.begin(), step.end(), [](const ScheduledSequence& one) { return one.new_tokens > 1; });
    CHECK((prompts == 0 || prompts == static_cast<std::ptrdiff_t>(step.size())));
  }
}

TEST_CASE("TensorRT-LLM: guaranteed_no_evict never preempts, max_utilization holds more at once") {
  const auto run = [](CapacityPolicy policy) {
    SchedulerLimits limits = limits_of(64, 4096);
    limits.capacity_policy = policy;
    Engine engine(*find_scheduler("tensorrt-llm"), limits, KvCache(40, 16, false));
    for (int request = 0; request < 30; ++request) engine.submit(32, 96);
    engine.run();
    std::size_t most = 0;
    for (const ScheduledStep& step : engine.steps) most = std::max(most, step.size());
    return std::pair{engine.preemptions, most};
  };
  const auto [no_preemptions, guaranteed] = run(CapacityPolicy::guaranteed_no_evict);
  const auto [preemptions, utilized] = run(CapacityPolicy::max_utilization);
  CHECK(no_preemptions == 0);
  CHECK(guaranteed == 5);  // 40 blocks / 8 of a whole sequence
  CHECK(preemptions > 0);
  CHECK(utilized > guaranteed);
}

TEST_CASE("Prefix hits are free of prefill") {
  Engine engine(*find_scheduler("vllm"), limits_of(8, 4096), KvCache(100, 16, true));
  for (int request = 0; request < 4; ++request) engine.submit(100, 2, 0, 96);
  engine.run();
  CHECK(engine.computed_tokens == 101 + 3 * (4 + 1));
}

}  // namespace
}  // namespace tradewind::workload
