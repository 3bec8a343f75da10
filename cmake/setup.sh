# Sourced by ./run and ./test: installs what is missing, configures, builds. The caller has set `root` (the
# folder of the checkout) and `me` (its name for messages).
set -Eeuo pipefail
build=$root/build

say() { printf '%s: %s\n' "$me" "$*"; }
fail() { printf '%s: %s\n' "$me" "$*" >&2; exit 1; }
trap 'fail "stopped at ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND"' ERR

# Debian 12 and 13 know all of these by the same names.
build_packages=(
    g++ cmake ninja-build ccache pkgconf
    libtorch-dev libopenblas0-openmp                    # OpenBLAS' OpenMP build: the pthread one fights LibTorch for the cores
    nlohmann-json3-dev libspdlog-dev libcli11-dev libxxhash-dev
    libsqlitecpp-dev zlib1g-dev libarchive-dev libgraphviz-dev libsentencepiece-dev
    libopencv-imgcodecs-dev libopencv-imgproc-dev
    qt6-base-dev qt6-svg-dev libqcustomplot-dev libqscintilla2-qt6-dev qt6-wayland
)
test_packages=(
    python3-torch python3-torchvision python3-numpy python3-scipy # the yardstick for losses, probes, metrics and files of weights
    dpkg-dev file desktop-file-utils shared-mime-info   # the installer's test
)

# install_packages NAME…: what is not there yet comes through apt; nothing is asked of the network otherwise.
install_packages() {
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        fail "this is not a Debian-like system. Install what these Debian packages hold, then start ./$me --no-install: $*"
    fi
    local installed missing=() package
    installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "$@" 2>/dev/null || true)"
    for package in "$@"; do
        [[ $installed == *" installed:$package "* ]] || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0

    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || fail "needs root to install packages and finds no sudo. Run as root: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    say "installs through apt${as_root:+ (with sudo)}: ${missing[*]}"
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get)
    mkdir -p "$build"
    local log=$build/apt.log
    quietly "$log" "${apt[@]}" update || fail "apt-get update failed: $(reason "$log")"
    LC_ALL=C apt-get -o Debug::NoLocking=1 install --no-install-recommends --assume-no "${missing[@]}" 2>/dev/null |
        sed -n 's/^\(Need to get .*\|After this operation.*\)$/  \1/p' || true
    quietly "$log" "${apt[@]}" install --yes --no-install-recommends "${missing[@]}" ||
        fail "apt-get install failed: $(reason "$log")"
}

# quietly LOG COMMAND…: shows the output on a terminal, so that a long download can be watched, else keeps it in LOG.
quietly() {
    local log=$1
    shift
    if [ -t 1 ]; then "$@"; else "$@" >"$log" 2>&1; fi
}
# Why the command of quietly failed, in a few words.
reason() {
    local log=$1
    if [ -t 1 ]; then echo "see above"; return; fi
    local pattern line=
    for pattern in '^E: ' '^CMake Error' 'error:' 'FAILED'; do
        line=$(grep -m 1 -A 2 -E "$pattern" "$log" | tr -s '\n ' ' ' | cut -c 1-300 || true)
        [ -z "$line" ] || break
    done
    echo "${line:-it gives no reason} (all of it: $log)"
}

# Debian lets several BLAS libraries stand side by side and links the one of highest priority; with
# libopenblas0-pthread or the reference BLAS training is many times slower. What the system prefers is the
# user's choice, so only the processes started from here are pointed at the OpenMP build.
prefer_openmp_blas() {
    local folder chosen
    for folder in /usr/lib/*/openblas-openmp; do
        [ -e "$folder/libblas.so.3" ] || continue
        chosen=$(readlink -f "${folder%/*}/libblas.so.3" || true)
        [ "${chosen%/*}" = "$folder" ] && return 0
        say "uses $folder instead of the system's ${chosen:-missing libblas.so.3}, which is slower with LibTorch"
        export LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        return 0
    done
}

# A file that includes torch needs about 1.2 GB to compile.
build_jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable:/ {print int($2 / 1200000)}' /proc/meminfo)
    local jobs=$((memory < cores ? memory : cores))
    echo $((jobs > 1 ? jobs : 1))
}

# build_targets [TARGET …]: configures once (ninja repeats it when a CMake file changed) and builds.
build_targets() {
    local log=$build/build.log targets=() target
    for target in "$@"; do targets+=(--target "$target"); done
    mkdir -p "$build"
    if [ ! -f "$build/build.ninja" ]; then
        say "configures $build"
        quietly "$log" cmake --preset release -S "$root" || fail "the configuration failed: $(reason "$log")"
    fi
    local jobs
    jobs=$(build_jobs)
    say "builds with $jobs job$([ "$jobs" = 1 ] || echo s)"
    quietly "$log" cmake --build "$build" --parallel "$jobs" "${targets[@]}" ||
        fail "the build failed: $(reason "$log")"
}
