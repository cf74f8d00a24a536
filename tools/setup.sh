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
)
test_headers=(
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

# apt-get, as root: `apt_get WHAT ARGUMENTS...`, where WHAT goes into the message if it can't be.
apt_get() {
  local what=$1 as_root=()
  shift
  command -v apt-get >/dev/null ||
    fail "this is not a Debian system (no apt-get); install what Debian calls: $what"
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || fail "neither root nor sudo; ask for these packages: $what"
    as_root=(sudo)
  fi
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -q -y -o DPkg::Lock::Timeout=300 "$@"
}

# Installs those of the named Debian packages that are not there yet.
need_packages() {
  local package missing=()
  for package in "$@"; do
    is_installed "$package" || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  say "installing ${missing[*]}"
  apt_get "${missing[*]}" update
  apt_get "${missing[*]}" install --no-install-recommends "${missing[@]}"
}

# Unpacks headers into build/headers instead of installing their package, where that would bring
# much that isn't used (libvalijson-dev: adapters to Qt, Poco and others, 180 packages).
need_headers() {
  local package folder=build/headers
  for package in "$@"; do
    is_installed "$package" || [[ -e $folder/$package ]] || {
      say "unpacking $package into $folder"
      mkdir -p "$folder/download"
      (cd "$folder/download" && apt-get -q download "$package" >/dev/null 2>&1) || {
        apt_get "$package" update
        (cd "$folder/download" && quietly apt-get -q download "$package")
      }
      dpkg-deb --extract "$folder/download/$package"_*.deb "$folder/$package"
    }
  done
}

# Configures and builds one preset of CMakePresets.json.
build() {
  quietly cmake --preset "$1"
  cmake --build --preset "$1" --parallel "$(nproc)"
}
