# Script behind tradewind_embed: -D INPUT= OUTPUT= NAMESPACE= SYMBOL=
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(..)" "\\\\x\\1" escaped "${hex}")
string(LENGTH "${escaped}" length)

set(piece_length 8000)  # 2,000 bytes of the file, four characters a byte
set(pieces "")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${escaped}" ${at} ${piece_length} piece)
  string(APPEND pieces "\n    \"${piece}\"")
  math(EXPR at "${at} + ${piece_length}")
endwhile()

file(WRITE ${OUTPUT} "#include <string_view>

namespace ${NAMESPACE} {

std::string_view ${SYMBOL}();

std::string_view ${SYMBOL}() {
  static constexpr char kText[] = \"\"${pieces};
  return {kText, sizeof(kText) - 1};
}

}  // namespace ${NAMESPACE}
")
