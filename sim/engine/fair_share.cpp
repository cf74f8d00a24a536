#include "sim/engine/fair_share.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tradewind::engine {
namespace {

/// A full resource in integer units. Shares are cut to whole units, so that shares that add up to
/// 1 never count as more; what is lost is below 1e-12 of the capacity a task.
constexpr std::int64_t kWhole = std::int64_t{1} << 40;

std::int64_t whole_units(double share) {
  return static_cast<std::int64_t>(share * static_cast<double>(kWhole));
}

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

}  // namespace

bool FairShare::Resource::overcommitted() const {
  return demand > kWhole;
}

void FairShare::reset(const graph::TaskGraph& graph) {
  graph_ = &graph;
  visit_ = 0;
  workers_.assign(graph.stream_count(), Worker{});
  resources_.assign(graph.resource_count(), Resource{});
  for (std::size_t i = 0; i < resources_.size(); ++i) {
    resources_[i].first_user = graph.user_offsets()[i];
  }
  users_.resize(graph.user_offsets().back());
  entered_.clear();
  dirty_.clear();
}

void FairShare::enter(graph::TaskId task) {
  const graph::StreamId stream = graph_->stream(task);
  Worker& worker = workers_[stream];
  worker.demands = graph_->demands(task);
  worker.weight = graph_->weight(task);
  worker.full_speed_at = 1 / worker.weight;
  worker.speed = 0;
  entered_.push_back(stream);
  for (const graph::ResourceShare& demand : worker.demands) {
    Resource& resource = resources_[demand.resource];
    resource.demand += whole_units(demand.share);
    insert_user(resource, {demand.share, stream});
    if (resource.overcommitted()) mark_dirty(demand.resource);
  }
}

void FairShare::leave(graph::StreamId stream) {
  for (const graph::ResourceShare& demand : workers_[stream].demands) {
    Resource& resource = resources_[demand.resource];
    if (resource.overcommitted()) mark_dirty(demand.resource);
    resource.demand -= whole_units(demand.share);
    remove_user(resource, stream);
  }
}

void FairShare::mark_dirty(graph::ResourceId id) {
  if (!std::exchange(resources_[id].dirty, true)) dirty_.push_back(id);
}

void FairShare::insert_user(Resource& resource, User user) {
  std::uint32_t place = resource.first_user + resource.user_count++;
  for (; place > resource.first_user && users_[place - 1].stream > user.stream; --place) {
    users_[place] = users_[place - 1];
  }
  users_[place] = user;
}

void FairShare::remove_user(Resource& resource, graph::StreamId stream) {
  std::uint32_t place = resource.first_user;
  while (users_[place].stream != stream) ++place;
  const std::uint32_t last = resource.first_user + --resource.user_count;
  for (; place < last; ++place) users_[place] = users_[place + 1];
}

std::span<const FairShare::SpeedChange> FairShare::solve() {
  changes_.clear();
  ++visit_;
  for (const graph::ResourceId id : dirty_) {
    resources_[id].dirty = false;
    for (const User& user : users(resources_[id])) solve_component_of(user.stream);
  }
  for (const graph::StreamId stream : entered_) solve_component_of(stream);
  dirty_.clear();
  entered_.clear();
  return changes_;
}

void FairShare::solve_component_of(graph::StreamId stream) {
  if (workers_[stream].visit == visit_) return;
  gather_component(stream);
  rising_ = component_.size();
  double level = next_level();
  freeze(level);
  while (rising_ > 0) {
    for (const graph::ResourceId id : component_resources_) refill(resources_[id], level);
    level = next_level();
    freeze(level);
  }
}

/// Finds the tasks that are connected to the stream's one, and the resources that connect them;
/// all tasks rise.
void FairShare::gather_component(graph::StreamId stream) {
  component_.assign(1, stream);
  component_resources_.clear();
  workers_[stream].visit = visit_;
  for (std::size_t next = 0; next < component_.size(); ++next) {
    Worker& worker = workers_[component_[next]];
    worker.next_speed = 0;
    for (const graph::ResourceShare& demand : worker.demands) {
      Resource& resource = resources_[demand.resource];
      if (!resource.overcommitted() || resource.visit == visit_) continue;
      resource.visit = visit_;
      component_resources_.push_back(demand.resource);
      double rise = 0;
      for (const User& user : users(resource)) {
        Worker& other = workers_[user.stream];
        rise += other.weight * user.share;
        if (std::exchange(other.visit, visit_) != visit_) component_.push_back(user.stream);
      }
      resource.full_at = 1 / rise;
    }
  }
}

/// The level at which the next task or resource stops the rise.
double FairShare::next_level() {
  full_speed_at_ = kNoLimit;
  for (const graph::StreamId member : component_) {
    const Worker& worker = workers_[member];
    if (worker.next_speed == 0) full_speed_at_ = std::min(full_speed_at_, worker.full_speed_at);
  }
  double next = full_speed_at_;
  for (const graph::ResourceId id : component_resources_) {
    next = std::min(next, resources_[id].full_at);
  }
  return next;
}

/// Works out anew when the resource is full, now that some of its tasks have stopped at `level`.
void FairShare::refill(Resource& resource, double level) {
  double free = 1;
  double rise = 0;
  for (const User& user : users(resource)) {
    const Worker& worker = workers_[user.stream];
    if (worker.next_speed > 0) {
      free -= worker.next_speed * user.share;
    } else {
      rise += worker.weight * user.share;
    }
  }
  // Rounding may leave a hair less free than the level already reached needs.
  resource.full_at = rise > 0 ? std::max(level, free / rise) : kNoLimit;
}

/// Fixes the speeds of the tasks that this level bounds.
void FairShare::freeze(double level) {
  if (full_speed_at_ <= level) {
    for (const graph::StreamId member : component_) {
      const Worker& worker = workers_[member];
      if (worker.next_speed == 0 && worker.full_speed_at <= level) settle(member, 1);
    }
  }
  for (const graph::ResourceId id : component_resources_) {
    const Resource& resource = resources_[id];
    if (resource.full_at > level) continue;
    for (const User& user : users(resource)) {
      const Worker& worker = workers_[user.stream];
      if (worker.next_speed == 0) settle(user.stream, std::min(1.0, level * worker.weight));
    }
  }
}

void FairShare::settle(graph::StreamId stream, double speed) {
  Worker& worker = workers_[stream];
  worker.next_speed = speed;
  --rising_;
  if (speed == worker.speed) return;
  worker.speed = speed;
  changes_.push_back({stream, speed});
}

}  // namespace tradewind::engine
