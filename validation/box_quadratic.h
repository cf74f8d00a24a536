#pragma once

#include <span>
#include <vector>

namespace tradewind::validation {

/// The x between `lower` and `upper` that minimises 1/2 x'Hx + g'x, for a symmetric positive
/// definite H of n x n, row after row. By active sets: towards the minimum of what is free until a
/// bound is met, which then holds; at the minimum, the bound that pushes inwards most lets go
/// (J. Nocedal, S. Wright, Numerical Optimization, 2006, section 16.5). For tens of unknowns.
std::vector<double> minimise_in_box(std::span<const double> hessian,
                                    std::span<const double> gradient, std::span<const double> lower,
                                    std::span<const double> upper);

}  // namespace tradewind::validation
