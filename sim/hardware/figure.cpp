#include "sim/hardware/figure.h"

namespace tradewind::hardware {

Provenance provenance_of(std::string_view kind) {
  return parse_provenance(kind).value_or(Provenance::assumed);
}

}  // namespace tradewind::hardware
