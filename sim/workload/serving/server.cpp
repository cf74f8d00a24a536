#include "sim/workload/serving/server.h"

#include <algorithm>
#include <stdexcept>

namespace tradewind::workload {

using scenario::Request;

namespace {

constexpr std::int64_t kPicosecondsPerMicrosecond = 1'000'000;

Time arrival_of(const Request& request) {
  return Time{request.arrival_us * kPicosecondsPerMicrosecond};
}

Sequence sequence_of(const Request& request) {
  Sequence sequence;
  sequence.input_tokens = request.input_tokens;
  sequence.output_tokens = request.output_tokens;
  sequence.prefix = request.prefix;
  sequence.prefix_tokens = request.prefix_tokens;
  return sequence;
}

}  // namespace

Server::Server(const Traffic& traffic, const Pool& pool, std::optional<Disaggregation> apart)
    : traffic_(traffic), pool_(pool), apart_(std::move(apart)) {
  outcomes_.resize(traffic.requests.size());
  const int decoding = apart_ ? apart_->decode.replicas : 0;
  replicas_.reserve(static_cast<std::size_t>(pool_.replicas) + static_cast<std::size_t>(decoding));
  add_replicas(pool_);
  link_free_.resize(replicas_.size());
  if (apart_) add_replicas(apart_->decode);
  touched_.resize(replicas_.size());
}

void Server::add_replicas(const Pool& pool) {
  for (int i = 0; i < pool.replicas; ++i) {
    replicas_.emplace_back(*pool.context, *pool.scheduler, pool.limits,
                           KvCache(pool.capacity_blocks, pool.block_tokens, pool.prefix_caching),
                           outcomes_, static_cast<std::int32_t>(replicas_.size()));
  }
}

bool Server::fits(const Request& request) const {
  const std::int64_t all = std::int64_t{request.input_tokens} + request.output_tokens;
  if (all > pool_.max_model_len) return false;
  if (!apart_) return replicas_.front().queues().cache.could_hold(all);
  return replicas_.front().queues().cache.could_hold(request.input_tokens + 1) &&
         replicas_.back().queues().cache.could_hold(all);
}

void Server::send_next(Time at) {
  if (sent_ == static_cast<std::int64_t>(traffic_.requests.size())) return;
  const std::int64_t request = sent_++;
  RequestOutcome& outcome = outcomes_[static_cast<std::size_t>(request)];
  const Request& asked = traffic_.requests[static_cast<std::size_t>(request)];
  outcome.arrival = at;
  outcome.admitted = Time{-1};
  outcome.input_tokens = asked.input_tokens;
  outcome.output_tokens = asked.output_tokens;
  joins_.push_back({at + traffic_.frontend, request});
}

void Server::join(const Join& arriving) {
  const Request& request = traffic_.requests[static_cast<std::size_t>(arriving.request)];
  if (traffic_.concurrency == 0 && sent_ < static_cast<std::int64_t>(traffic_.requests.size())) {
    send_next(arrival_of(traffic_.requests[static_cast<std::size_t>(sent_)]));
  }
  if (!fits(request)) {
    outcomes_[static_cast<std::size_t>(arriving.request)].rejected = true;
    if (traffic_.concurrency > 0) send_next(now_);
    return;
  }
  requests_s_ += traffic_.frontend.seconds();
  ++in_server_;
  Sequence sequence = sequence_of(request);
  if (apart_) sequence.output_tokens = 1;
  const std::size_t replica = route(sequence, 0, static_cast<std::size_t>(pool_.replicas), turn_);
  replicas_[replica].submit(arriving.request, sequence, now_);
  touched_[replica] = 1;
}

std::size_t Server::route(const Sequence& sequence, std::size_t first, std::size_t count,
                          std::size_t& turn) {
  if (traffic_.router == scenario::Router::round_robin || count == 1) {
    return first + turn++ % count;
  }
  const auto load = [&](std::size_t replica) {
    const Queues& queues = replicas_[replica].queues();
    if (traffic_.router == scenario::Router::least_loaded) {
      return static_cast<std::int64_t>(replicas_[replica].sequences());
    }
    // What is cached and what is still to come, less what this sequence would find there.
    const std::int64_t held = queues.cache.used_blocks() * queues.cache.block_tokens();
    return held + queues.waiting_tokens - queues.cache.found_prefix_tokens(sequence);
  };
  std::size_t best = first;
  std::int64_t least = load(first);
  for (std::size_t replica = first + 1; replica < first + count; ++replica) {
    const std::int64_t of_this = load(replica);
    if (of_this < least) best = replica, least = of_this;
  }
  return best;
}

void Server::hand_over(const Completion& completion, std::size_t replica) {
  const Request& request = traffic_.requests[static_cast<std::size_t>(completion.request)];
  Time& link = link_free_[replica];
  link = std::max(link, now_) + apart_->transfer(request.input_tokens);
  handovers_.push_back({link, completion.request});
  std::push_heap(handovers_.begin(), handovers_.end());
}

void Server::end_steps(std::size_t replica) {
  const bool prefills_only = apart_ && replica < static_cast<std::size_t>(pool_.replicas);
  while (replicas_[replica].next_end() == now_) {
    completions_.clear();
    replicas_[replica].end_step(gaps_, completions_);
    touched_[replica] = 1;
    for (const Completion& completion : completions_) {
      const Request& request = traffic_.requests[static_cast<std::size_t>(completion.request)];
      if (prefills_only && request.output_tokens > 1) {
        hand_over(completion, replica);
        continue;
      }
      --in_server_;
      if (traffic_.concurrency > 0) send_next(now_);
    }
  }
}

Time Server::next_event() const {
  Time next = Time::max();
  if (!joins_.empty()) next = joins_.front().at;
  if (!handovers_.empty()) next = std::min(next, handovers_.front().at);
  for (const Replica& replica : replicas_) next = std::min(next, replica.next_end());
  return next;
}

void Server::move_to(Time time) {
  requests_s_ += (time - now_).seconds() * static_cast<double>(in_server_);
  now_ = time;
}

void Server::run() {
  if (traffic_.concurrency > 0) {
    for (int client = 0; client < traffic_.concurrency; ++client) send_next(Time{});
  } else if (!traffic_.requests.empty()) {
    send_next(arrival_of(traffic_.requests.front()));
  }
  for (Time next = next_event(); next < Time::max(); next = next_event()) {
    move_to(next);
    do {
      while (!joins_.empty() && joins_.front().at == now_) {
        const Join arriving = joins_.front();
        joins_.pop_front();
        join(arriving);
      }
      while (!handovers_.empty() && handovers_.front().at == now_) {
        const std::int64_t request = handovers_.front().request;
        std::pop_heap(handovers_.begin(), handovers_.end());
        handovers_.pop_back();
        Sequence sequence = sequence_of(traffic_.requests[static_cast<std::size_t>(request)]);
        sequence.computed = sequence.input_tokens;
        sequence.generated = 1;
        const auto first = static_cast<std::size_t>(pool_.replicas);
        const std::size_t replica = route(sequence, first, replicas_.size() - first, decode_turn_);
        replicas_[replica].submit(request, sequence, now_);
        touched_[replica] = 1;
      }
      for (std::size_t replica = 0; replica < replicas_.size(); ++replica) end_steps(replica);
    } while (next_event() == now_);
    for (std::size_t replica = 0; replica < replicas_.size(); ++replica) {
      if (touched_[replica] != 0) replicas_[replica].schedule(now_, samples_);
      touched_[replica] = 0;
    }
  }
  if (in_server_ > 0) throw std::logic_error("the scheduler left requests waiting for ever");
}

}  // namespace tradewind::workload
