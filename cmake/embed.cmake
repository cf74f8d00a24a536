# tradewind_embed(TARGET SYMBOL FILE): the bytes of FILE become, at build time,
#   std::string_view tradewind::TARGET::SYMBOL()
# in the library TARGET, whose own header declares it. Any file will do: the text is written as
# escapes, in short pieces that the compiler joins.
function(tradewind_embed target symbol file)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded/${target}_${symbol}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -D INPUT=${file} -D OUTPUT=${generated}
            -D NAMESPACE=tradewind::${target} -D SYMBOL=${symbol} -P ${script}
    DEPENDS ${file} ${script}
    COMMENT "Embedding ${symbol}"
    VERBATIM)
  target_sources(${target} PRIVATE ${generated})
endfunction()
