#pragma once

namespace tradewind {

/// One visitor of a variant out of one function a kind: std::visit(Overload{[](const A&) {...},
/// [](const B&) {...}}, variant). A kind without its function does not compile.
template <class... Functions>
struct Overload : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overload(Functions...) -> Overload<Functions...>;

}  // namespace tradewind
