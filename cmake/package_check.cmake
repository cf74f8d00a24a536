# Read by cpack before it packages: without this tool the package would list no dependencies.
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(NOT DPKG_SHLIBDEPS)
  message(FATAL_ERROR "The Debian package needs dpkg-shlibdeps: apt-get install dpkg-dev")
endif()
