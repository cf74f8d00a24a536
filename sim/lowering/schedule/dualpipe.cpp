#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "sim/lowering/schedule/schedule.h"

namespace tradewind::lowering {
namespace {

std::string refusal(const ScheduleShape& shape) {
  if (std::string reason = refuse_virtual_stages("dualpipe", shape); !reason.empty()) return reason;
  if (shape.stages % 2 != 0) {
    return fmt::format("dualpipe pairs the stages: pp {} is odd", shape.stages);
  }
  if (shape.micro_batches % 2 != 0 || shape.micro_batches < 2 * shape.stages) {
    return fmt::format(
        "dualpipe sends at least pp micro-batches from each end: {} are not an even "
        "number of {} or more",
        shape.micro_batches, 2 * shape.stages);
  }
  return {};
}

/// Writes one device's program. Direction 0 is the one whose micro-batches reach the device first:
/// the first half of them enters at device 0, the second half at device p - 1.
class Writer {
 public:
  Writer(const ScheduleShape& shape, int device) : shape_(shape), device_(device) {}

  void forward(int direction) { add(StageOpKind::forward, direction, forwards_[at(direction)]++); }
  /// A forward pass side by side with the other direction's backward pass.
  void pair(int forward_direction) {
    forward(forward_direction);
    program_.back().with_next = true;
    backward(1 - forward_direction, false);
  }
  void backward(int direction, bool puts_weights_off) {
    const int number = backwards_[at(direction)]++;
    if (!puts_weights_off) return add(StageOpKind::backward, direction, number);
    add(StageOpKind::backward_input, direction, number);
    StageOp weight = program_.back();
    weight.kind = StageOpKind::backward_weight;
    weights_.push_back(weight);
  }
  void weight() {
    program_.push_back(weights_.front());
    weights_.pop_front();
  }
  StageProgram take() { return std::move(program_); }

 private:
  static std::size_t at(int direction) { return static_cast<std::size_t>(direction); }
  void add(StageOpKind kind, int direction, int number) {
    const bool from_end = (direction == 1) != (device_ >= shape_.stages / 2);
    program_.push_back({kind, number + (from_end ? shape_.micro_batches / 2 : 0),
                        from_end ? shape_.stages - 1 - device_ : device_, false});
  }

  const ScheduleShape& shape_;
  int device_;
  std::array<int, 2> forwards_{}, backwards_{};
  std::deque<StageOp> weights_;
  StageProgram program_;
};

/// The eight steps of the authors' description (deepseek-ai/DualPipe; arXiv 2412.19437, figure 5).
/// `outer`: how many stages are nearer to the middle; `inner`: how many nearer to the end.
StageProgram program(const ScheduleShape& shape, int device) {
  const int inner = std::min(device, shape.stages - 1 - device);
  const int outer = shape.stages / 2 - 1 - inner;
  Writer write(shape, device);
  for (int i = 0; i < 2 * outer; ++i) write.forward(0);
  for (int i = 0; i <= inner; ++i) write.forward(0), write.forward(1);
  for (int i = 0; i < outer; ++i) write.backward(1, true), write.weight(), write.forward(1);
  for (int i = 0; i < shape.micro_batches / 2 - shape.stages + inner + 1; ++i) {
    // The two devices in the middle have nothing yet to run beside their first.
    if (i == 0 && outer == 0) {
      write.forward(0), write.backward(1, false);
    } else {
      write.pair(0);
    }
    write.pair(1);
  }
  for (int i = 0; i < outer; ++i) {
    write.backward(1, false);
    write.pair(1);
  }
  // From the middle of this step on, weight gradients wait for the end.
  const int half = (inner + 1) / 2;
  for (int i = 0; i <= inner; ++i) {
    write.backward(1, i > half || (i == half && inner % 2 == 1));
    write.backward(0, i >= half);
  }
  for (int i = 0; i < outer; ++i) write.weight(), write.backward(0, true);
  for (int i = 0; i <= inner; ++i) write.weight();
  return write.take();
}

std::vector<StageProgram> programs(const ScheduleShape& shape) {
  std::vector<StageProgram> all;
  all.reserve(static_cast<std::size_t>(shape.stages));
  for (int device = 0; device < shape.stages; ++device) all.push_back(program(shape, device));
  return all;
}

}  // namespace

const Schedule& dualpipe() {
  static const Schedule schedule{
      "dualpipe",
      "micro-batches from both ends, two copies of the weights (arXiv 2412.19437, section 3.2.1)",
      refusal,
      one_chunk_a_stage,
      programs,
      false,
      true};
  return schedule;
}

}  // namespace tradewind::lowering
