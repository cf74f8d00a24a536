# Sourced by quickstart, test and lint: the Debian packages the project stands on, and the steps
# the three share. Whoever sources it continues in the repository root.
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

build_packages=(
  cmake                # configures the build (3.25 or later)
  ninja-build          # runs it
  g++                  # C++20 compiler (12 or later)
  libboost-dev         # Boost.Graph: critical path, slack, cycle checks
  nlohmann-json3-dev   # reads and writes JSON
  libfmt-dev           # formats text
  libspdlog-dev        # log on stderr
  libcli11-dev         # command line
  libeigen3-dev        # Levenberg-Marquardt fits of the cost models
  libtbb-dev           # runs a sweep's points on all cores
  libjs-chart.js       # charts, put into the program for report.html
)
test_packages=(
  catch2               # test framework
  libvalijson-dev      # checks the JSON Schemas of configs/schema against the readers
)
lint_packages=(
  git                  # lists the project's own sources
  clang-format         # layout
  clang-tidy           # static checks
)

say() { echo "$(basename "$0"): $*"; }
fail() { say "$*" >&2; exit 1; }

# Runs a command silently; its output is shown only if it fails.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "failed: $*"
  fi
  rm -f "$log"
}

is_installed() {
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# Installs those of the named Debian packages that are not there yet.
need_packages() {
  local package missing=() as_root=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0

  command -v apt-get >/dev/null ||
    fail "this is not a Debian system (no apt-get); install what Debian calls: ${missing[*]}"
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null ||
      fail "neither root nor sudo; ask for these packages: ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
  quietly "${as_root[@]}" update
  quietly "${as_root[@]}" install --no-install-recommends "${missing[@]}"
}

# Configures and builds one preset of CMakePresets.json.
build() {
  quietly cmake --preset "$1"
  cmake --build --preset "$1" --parallel "$(nproc)"
}
