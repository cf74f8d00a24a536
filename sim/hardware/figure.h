#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "sim/core/provenance.h"

namespace tradewind::hardware {

/// What a figure of a profile can stand on: a vendor's specification, silicon, a third party's
/// page, arithmetic on other figures, a fit to measurements, or nobody's word but ours.
inline constexpr std::array<std::string_view, 6> kFigureKinds = {
    "datasheet", "measured", "secondary", "derived", "fitted", "assumed"};

/// One figure of a profile with what it stands on, kept for `tradewind show`.
struct Figure {
  double value = 0;    ///< 0 where it is not a number or has none
  std::string kind;    ///< one of kFigureKinds
  std::string source;  ///< who says so
  std::string note;    ///< conditions, caveats; may be empty
  std::string text;    ///< the value as people read it
};

/// Figures by their dotted path in the profile ("link.bandwidth_bytes_per_s").
using Figures = std::map<std::string, Figure>;

/// The provenance of an answer that uses a figure of that kind. Pages of third parties and
/// arithmetic on other figures count as assumed: no vendor and no silicon vouches for them.
Provenance provenance_of(std::string_view kind);

}  // namespace tradewind::hardware
