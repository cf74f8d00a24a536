#include "tests/lowering/overlap_data.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace tradewind::lowering {
namespace {

/// A set of ranks, a bit each.
using Ranks = std::uint32_t;

void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

template <typename T>
using PerOp = std::vector<std::vector<T>>;

class Execution {
 public:
  Execution(const ProgramShape& shape, const std::vector<Program>& programs);

  bool can_run(int rank, int place) const;
  void run(int rank, int place);
  void check_results() const;

 private:
  struct Slice {
    int computed = 0;
    int collected = 0;  ///< collectives over it
    Ranks sum = 0;      ///< gather_compute: all bits or none, whether its rows are there
    Ranks from = 0;     ///< compute_exchange: whose heads are there
  };

  const Op& op(OpRef ref) const { return programs_[index(ref.rank)][index(ref.op)]; }
  Slice& slice(int rank, int at) { return slices_[index(rank)][index(at)]; }
  static std::size_t index(int at) { return static_cast<std::size_t>(at); }
  static Ranks only(int rank) { return Ranks{1} << rank; }
  Ranks all() const { return static_cast<Ranks>((std::uint64_t{1} << shape_.ranks) - 1); }
  int owner(int at) const { return at / (shape_.slices / shape_.ranks); }

  void compute(int rank, const Op& op);
  void add(int rank, const Op& op);
  void send(OpRef ref, const Op& op);
  void deliver_sum(OpRef ref, const Op& op);
  void collect(int rank, const Op& op);
  void check_steps(int rank, int place) const;
  Ranks result(int rank, int at) const;

  const ProgramShape& shape_;
  const std::vector<Program>& programs_;
  PerOp<bool> done_;
  PerOp<int> takers_;      ///< of a send: additions that wait for it
  PerOp<Ranks> messages_;  ///< of a send: what it carried
  PerOp<Slice> slices_;
  bool by_collectives_ = false;
};

Execution::Execution(const ProgramShape& shape, const std::vector<Program>& programs)
    : shape_(shape), programs_(programs) {
  for (const Program& program : programs) {
    done_.emplace_back(program.size(), false);
    takers_.emplace_back(program.size(), 0);
    messages_.emplace_back(program.size(), 0);
    slices_.emplace_back(index(shape.slices));
    for (const Op& op : program) by_collectives_ |= op.kind == OpKind::collective;
  }
  for (const Program& program : programs) {
    for (const Op& op : program) {
      if (op.kind != OpKind::add) continue;
      for (const OpRef ref : op.after) ++takers_[index(ref.rank)][index(ref.op)];
    }
  }
  if (shape.pair != Pair::gather_compute || by_collectives_) return;
  for (int at = 0; at < shape.slices; ++at) slice(owner(at), at).sum = all();
}

bool Execution::can_run(int rank, int place) const {
  return std::ranges::all_of(op({rank, place}).after,
                             [&](OpRef ref) { return done_[index(ref.rank)][index(ref.op)]; });
}

void Execution::run(int rank, int place) {
  const Op& op = this->op({rank, place});
  check_steps(rank, place);
  if (op.kind == OpKind::compute) compute(rank, op);
  if (op.kind == OpKind::add) add(rank, op);
  if (op.kind == OpKind::send) send({rank, place}, op);
  if (op.kind == OpKind::collective) collect(rank, op);
  done_[index(rank)][index(place)] = true;
}

/// A barrier comes after all that stands before it in any program, and before what follows it.
void Execution::check_steps(int rank, int place) const {
  const bool is_barrier = op({rank, place}).kind == OpKind::barrier;
  for (int before = 0; before < place; ++before) {
    if (is_barrier) {
      for (const auto& done : done_) require(done[index(before)], "barrier passed too early");
    } else if (op({rank, before}).kind == OpKind::barrier) {
      require(done_[index(rank)][index(before)], "step begun before its barrier");
    }
  }
}

void Execution::compute(int rank, const Op& op) {
  Slice& target = slice(rank, op.slice);
  require(++target.computed == 1, "slice computed twice");
  if (shape_.pair == Pair::gather_compute) {
    require(target.sum == all(), "computed before the rows are there");
  } else {
    require((target.sum & only(rank)) == 0, "computed over a sum");
    target.sum |= only(rank);
  }
}

void Execution::add(int rank, const Op& op) {
  Ranks received = 0;
  for (const OpRef ref : op.after) {
    const Op& sent = this->op(ref);
    if (sent.kind != OpKind::send || sent.peer != rank || sent.slice != op.slice) continue;
    require(takers_[index(ref.rank)][index(ref.op)] == 1, "sum added twice");
    received |= messages_[index(ref.rank)][index(ref.op)];
  }
  Slice& target = slice(rank, op.slice);
  require(received != 0, "nothing to add");
  require(target.computed == 1, "added before the own part");
  require((target.sum & received) == 0, "a part added twice");
  target.sum |= received;
}

void Execution::send(OpRef ref, const Op& op) {
  require(op.peer >= 0 && op.peer < shape_.ranks && op.peer != ref.rank, "no such peer");
  require(op.lane >= 0 && op.lane < shape_.lanes, "no such lane");
  const Slice& source = slice(ref.rank, op.slice);
  Slice& target = slice(op.peer, op.slice);
  switch (shape_.pair) {
    case Pair::gather_compute:
      require(source.sum == all(), "sent before it was there");
      require(target.sum == 0, "received twice");
      target.sum = all();
      break;
    case Pair::compute_exchange:
      require(source.computed == 1, "sent before computed");
      require(owner(op.slice) == op.peer, "sent to who does not need it");
      require((target.from & only(ref.rank)) == 0, "received twice");
      target.from |= only(ref.rank);
      break;
    default:
      deliver_sum(ref, op);
  }
}

/// To an addition that waits for it, or, where all-reduce spreads what is complete, to the peer.
void Execution::deliver_sum(OpRef ref, const Op& op) {
  const Ranks sum = slice(ref.rank, op.slice).sum;
  require((sum & only(ref.rank)) != 0, "sent before computed");
  messages_[index(ref.rank)][index(ref.op)] = sum;
  if (takers_[index(ref.rank)][index(ref.op)] > 0) return;
  Slice& target = slice(op.peer, op.slice);
  require(shape_.pair == Pair::compute_reduce, "sent and never added");
  require(sum == all(), "spread before complete");
  require(target.computed == 1 && target.sum != all(), "received twice");
  target.sum = all();
}

void Execution::collect(int rank, const Op& op) {
  require(++slice(rank, op.slice).collected == 1, "collected twice");
  if (shape_.pair == Pair::gather_compute) {
    slice(rank, op.slice).sum = all();
    return;
  }
  for (int peer = 0; peer < shape_.ranks; ++peer) {
    require(slice(peer, op.slice).computed == 1, "collected before computed");
  }
}

void Execution::check_results() const {
  for (int rank = 0; rank < shape_.ranks; ++rank) {
    for (int at = 0; at < shape_.slices; ++at) {
      const Slice& slice = slices_[index(rank)][index(at)];
      require(slice.computed == 1, "slice not computed");
      if (by_collectives_) {
        require(slice.collected == 1, "slice without its collective");
      } else {
        require(result(rank, at) == all(), "result incomplete");
      }
    }
  }
}

/// The parts of a slice that are on the rank, as far as it has to end with them.
Ranks Execution::result(int rank, int at) const {
  const Slice& slice = slices_[index(rank)][index(at)];
  if (shape_.pair == Pair::compute_reduce) return slice.sum;
  if (shape_.pair == Pair::gather_compute || owner(at) != rank) return all();
  return shape_.pair == Pair::compute_scatter ? slice.sum : slice.from | only(rank);
}

/// Places of a rank's operations that one stream issues in order.
struct Stream {
  int rank = 0;
  std::vector<int> places;
  std::size_t next = 0;
};

std::vector<Stream> streams_of(const ProgramShape& shape, const std::vector<Program>& programs) {
  const std::size_t each = 1 + static_cast<std::size_t>(shape.lanes);
  std::vector<Stream> streams(programs.size() * each);
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    for (std::size_t of = 0; of < each; ++of) {
      streams[rank * each + of].rank = static_cast<int>(rank);
    }
    for (std::size_t place = 0; place < programs[rank].size(); ++place) {
      const Op& op = programs[rank][place];
      const bool computes = op.kind == OpKind::compute || op.kind == OpKind::add;
      const std::size_t of = computes ? 0 : 1 + static_cast<std::size_t>(op.lane);
      streams[rank * each + of].places.push_back(static_cast<int>(place));
    }
  }
  return streams;
}

}  // namespace

std::vector<Program> all_programs(const Strategy& strategy, const ProgramShape& shape) {
  std::vector<Program> programs;
  for (int rank = 0; rank < shape.ranks; ++rank) programs.push_back(strategy.program(shape, rank));
  return programs;
}

std::string wrong_data(const ProgramShape& shape, const std::vector<Program>& programs,
                       std::mt19937_64& random) {
  std::vector<Stream> streams = streams_of(shape, programs);
  std::ranges::shuffle(streams, random);  // whoever stands first runs as far ahead as it can
  try {
    Execution execution(shape, programs);
    const auto can_go_on = [&](const Stream& stream) {
      return stream.next < stream.places.size() &&
             execution.can_run(stream.rank, stream.places[stream.next]);
    };
    for (auto found = std::ranges::find_if(streams, can_go_on); found != streams.end();
         found = std::ranges::find_if(streams, can_go_on)) {
      execution.run(found->rank, found->places[found->next++]);
    }
    for (const Stream& stream : streams) {
      require(stream.next == stream.places.size(), "waits for ever");
    }
    execution.check_results();
  } catch (const std::logic_error& wrong) {
    return wrong.what();
  }
  return {};
}

}  // namespace tradewind::lowering
