# Every dependency is a Debian package; README.md says why each is there.
find_package(Boost 1.74 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt 9 REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Eigen3 3.4 REQUIRED)
find_package(TBB REQUIRED)
find_package(Threads REQUIRED)

# Chart.js is text, not a library: the report carries it inside.
find_file(TRADEWIND_CHART_JS NAMES chart.min.js chart.umd.js
          PATHS /usr/share/javascript/chart.js NO_DEFAULT_PATH
          DOC "Chart.js, minified, for the report")
if(NOT TRADEWIND_CHART_JS)
  message(FATAL_ERROR "Chart.js is missing: apt-get install libjs-chart.js, or configure with "
                      "-D TRADEWIND_CHART_JS=/path/to/chart.min.js")
endif()
