# A room is one folder, one static library, and an explicit list of the rooms it may use. Its
# headers are seen only through a private folder of links, so that including a room that is not
# listed (directly or through another room's list) fails to compile.
set(TRADEWIND_ROOM_INCLUDES ${CMAKE_BINARY_DIR}/rooms)

add_library(tradewind_options INTERFACE)
target_compile_options(tradewind_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror
  # The same source must give the same bits everywhere: no fused multiply-add behind our back.
  -ffp-contract=off)
if(TRADEWIND_SANITIZE)
  target_compile_options(tradewind_options INTERFACE
    -fsanitize=${TRADEWIND_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    # GCC's own manual: sanitizers make this warning see ghosts (here: inside std::regex).
    -Wno-maybe-uninitialized)
  target_link_options(tradewind_options INTERFACE -fsanitize=${TRADEWIND_SANITIZE})
endif()

# tradewind_room(PATH USES rooms... LINKS libraries... PRIVATE_LINKS libraries...)
#   PATH is relative to the source root (sim/core); the target is its last part (core).
function(tradewind_room path)
  cmake_parse_arguments(ROOM "" "" "USES;LINKS;PRIVATE_LINKS" ${ARGN})
  get_filename_component(name ${path} NAME)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${path}/*.cpp)
  set(view ${TRADEWIND_ROOM_INCLUDES}/${name}/${path})
  get_filename_component(parent ${view} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${path} ${view} SYMBOLIC)

  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${TRADEWIND_ROOM_INCLUDES}/${name})
  target_link_libraries(${name} PUBLIC ${ROOM_USES} ${ROOM_LINKS}
                        PRIVATE tradewind_options ${ROOM_PRIVATE_LINKS})
endfunction()
