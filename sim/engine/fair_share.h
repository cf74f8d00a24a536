#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/graph/task_graph.h"

namespace tradewind::engine {

/// Divides resources between the tasks at work, max-min fair by weighted progressive filling.
///
/// A task i runs at speed x_i in (0, 1], relative to its speed alone, and takes x_i f_ik of
/// resource k, where f_ik is `ResourceShare::share`. All speeds rise in proportion to the weights,
/// x_i = w_i t (t is the level), until a resource is full (sum_i x_i f_ik = 1) or x_i = 1; the
/// tasks so bounded keep their speed, the others rise on. (Bertsekas and Gallager, Data Networks,
/// section 6.5.2, with weights, several resources a task, and x_i <= 1.)
///
/// A resource whose demands add up to 1 or less can bound nobody. So tasks affect each other only
/// through overcommitted resources, and only the components, connected through these, in which a
/// task came or went are solved again. The speeds depend on nothing but the set of tasks at work.
///
/// Tasks are known by their streams: a stream has one task at a time.
class FairShare {
 public:
  struct SpeedChange {
    graph::StreamId stream;
    double speed;
  };

  /// Forgets all tasks. The graph must outlive the use.
  void reset(const graph::TaskGraph& graph);
  /// A task, with demands, starts its work.
  void enter(graph::TaskId task);
  /// The task that the stream has at work is done.
  void leave(graph::StreamId stream);
  /// Speeds that differ from those before the last `enter` and `leave` calls, each stream once;
  /// a task that has entered counts as changed. Valid until the next call.
  std::span<const SpeedChange> solve();

 private:
  /// The task that a stream has at work.
  struct Worker {
    std::span<const graph::ResourceShare> demands;
    double weight;
    /// Level at which its speed is 1.
    double full_speed_at;
    double speed;
    /// The speed being worked out; 0 while it still rises.
    double next_speed;
    std::uint64_t visit;
  };
  struct User {
    double share;
    graph::StreamId stream;
  };
  struct Resource {
    /// Sum of the shares of its users, in units of 1 / kWhole: integers, so that it never drifts.
    std::int64_t demand;
    std::uint32_t first_user;
    std::uint32_t user_count;
    std::uint64_t visit;
    bool dirty;
    /// Level at which it is full, while its component is solved.
    double full_at;

    bool overcommitted() const;
  };

  std::span<User> users(const Resource& resource) {
    return {users_.data() + resource.first_user, resource.user_count};
  }
  void mark_dirty(graph::ResourceId resource);
  void insert_user(Resource& resource, User user);
  void remove_user(Resource& resource, graph::StreamId stream);
  void solve_component_of(graph::StreamId stream);
  void gather_component(graph::StreamId stream);
  double next_level();
  void refill(Resource& resource, double level);
  void freeze(double level);
  void settle(graph::StreamId stream, double speed);

  const graph::TaskGraph* graph_ = nullptr;
  std::vector<Worker> workers_;
  std::vector<Resource> resources_;
  /// Those of one resource side by side, by rising stream.
  std::vector<User> users_;
  /// Number of the current solution; who carries it has been reached.
  std::uint64_t visit_ = 0;
  std::vector<graph::StreamId> entered_;
  std::vector<graph::ResourceId> dirty_;
  /// The component being solved: its tasks, how many of them still rise, and what connects them.
  std::vector<graph::StreamId> component_;
  std::size_t rising_ = 0;
  std::vector<graph::ResourceId> component_resources_;
  /// The lowest level at which one of those that rise is at full speed.
  double full_speed_at_ = 0;
  std::vector<SpeedChange> changes_;
};

}  // namespace tradewind::engine
