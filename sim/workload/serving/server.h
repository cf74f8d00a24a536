#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sim/scenario/serving.h"
#include "sim/workload/serving/replica.h"

namespace tradewind::workload {

/// Replicas that serve alike.
struct Pool {
  const RunContext* context = nullptr;
  const Scheduler* scheduler = nullptr;
  SchedulerLimits limits;
  std::int64_t capacity_blocks = 0;  ///< of each replica; -1: no bound
  std::int64_t max_model_len = 0;    ///< input and output tokens of a request, at most
  int block_tokens = 1;
  bool prefix_caching = false;
  int replicas = 1;
};

/// Prefill and decode apart: after its first token a sequence moves to another pool with its cache,
/// over a link that each prefill replica has for itself.
struct Disaggregation {
  Pool decode;
  std::function<Time(std::int64_t tokens)> transfer;
};

/// How requests come and where they go.
struct Traffic {
  std::span<const scenario::Request> requests;  ///< in order of arrival
  int concurrency = 0;  ///< of a closed loop; 0: requests come at their own time
  scenario::Router router = scenario::Router::round_robin;
  Time frontend{};  ///< from a request's arrival to the queue
};

/// Serves all requests to the end, event by event: arrivals and ends of steps in order of time; at
/// one moment all of them, and then every replica that something happened to schedules.
class Server {
 public:
  Server(const Traffic& traffic, const Pool& pool, std::optional<Disaggregation> apart = {});
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void run();

  Time end() const { return now_; }
  /// Requests in the server, integrated over time.
  double requests_s() const { return requests_s_; }
  const std::vector<RequestOutcome>& outcomes() const { return outcomes_; }
  const TokenGaps& gaps() const { return gaps_; }
  const StepSamples& samples() const { return samples_; }
  std::vector<Replica>& replicas() { return replicas_; }

 private:
  struct Join {
    Time at;
    std::int64_t request;
  };
  /// After a prefill, with its cache.
  struct Handover {
    Time at;
    std::int64_t request;
    bool operator<(const Handover& other) const {
      return std::tie(other.at, other.request) < std::tie(at, request);  // earliest on top
    }
  };

  void add_replicas(const Pool& pool);
  bool fits(const scenario::Request& request) const;
  /// Puts the next request on its way to the queue, if there is one.
  void send_next(Time at);
  void join(const Join& arriving);
  void hand_over(const Completion& completion, std::size_t replica);
  void end_steps(std::size_t replica);
  std::size_t route(const Sequence& sequence, std::size_t first, std::size_t count,
                    std::size_t& turn);
  Time next_event() const;
  void move_to(Time time);

  const Traffic traffic_;
  const Pool pool_;
  const std::optional<Disaggregation> apart_;
  std::vector<RequestOutcome> outcomes_;
  std::vector<Replica> replicas_;  ///< those that decode apart come last
  std::vector<char> touched_;      ///< by replica: something happened to it now
  std::deque<Join> joins_;
  std::vector<Handover> handovers_;  ///< a heap
  std::vector<Time> link_free_;      ///< by prefill replica
  std::vector<Completion> completions_;
  StepSamples samples_;
  TokenGaps gaps_;
  std::int64_t sent_ = 0, in_server_ = 0;
  std::size_t turn_ = 0, decode_turn_ = 0;
  double requests_s_ = 0;
  Time now_;
};

}  // namespace tradewind::workload
