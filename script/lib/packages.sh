# Sourced by the scripts: makes sure that system packages are there.

# need PACKAGE...: installs the Debian packages that are missing; says what to do where that needs root.
need() {
    if [ "$(uname)" = Darwin ]; then
        return 0 # SQLite comes with macOS; CONTRIBUTING.md names the Homebrew packages
    fi
    local missing=()
    local package
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local become=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! sudo -n true 2>/dev/null; then
            echo "These Debian packages are missing, and installing them needs root:" >&2
            echo "    sudo apt-get install ${missing[*]}" >&2
            echo "Run that, then run this script again." >&2
            exit 1
        fi
        become=(sudo)
    fi
    echo "Installing: ${missing[*]}" >&2
    "${become[@]}" apt-get update -q >/dev/null
    "${become[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null
}

# swift ...: SwiftPM names a target's enabled traits to the compiler in the order of a set, which differs from run to run:
# each build would compile all of Carillon again. Tests keep their random order. Scripts that scripts start have it too.
swift() {
    case ${1:-} in
        build | package | run) SWIFT_DETERMINISTIC_HASHING=1 command swift "$@" ;;
        *) command swift "$@" ;;
    esac
}
export -f swift

# need_swift: a Swift toolchain of at least 6.2 must be on the path.
need_swift() {
    if ! type -P swift >/dev/null; then
        echo "Swift is missing: install 6.2 or later from https://www.swift.org/install/ and run this script again." >&2
        exit 1
    fi
    local version
    version=$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+\.[0-9]+).*/\1/p' | head -n 1)
    if [ "$(printf '%s\n6.2\n' "$version" | sort -V | head -n 1)" != 6.2 ]; then
        echo "Swift 6.2 or later is needed; found ${version:-an unknown version}." >&2
        exit 1
    fi
}

# need_aioapns: a Python client of Apple's push service, where the simulator's tests look for it.
need_aioapns() { need_python_environment aioapns; }

# need_python_environment NAME: a virtual environment .build/NAME with the packages of script/lib/NAME-requirements.txt,
# which names all of them with version and hashes: pip installs nothing else. To change one, edit the .in file and run
# pip-compile --generate-hashes --strip-extras --allow-unsafe --no-emit-index-url --no-emit-find-links --no-annotate NAME-requirements.in
need_python_environment() {
    local requirements=script/lib/$1-requirements.txt
    local environment=.build/$1
    cmp -s "$requirements" "$environment/requirements.txt" && return 0
    python3 -m venv --clear "$environment"
    "$environment/bin/pip" install -q --disable-pip-version-check --no-deps --require-hashes -r "$requirements" >&2
    cp "$requirements" "$environment/requirements.txt"
}

# What a browser shows Chinese text with, and is driven by.
page_packages=(chromium-headless-shell fonts-wqy-microhei python3 python3-venv)
# What every build links: SQLite, PostgreSQL's client library, libnghttp2, zlib, libzip and libqrencode.
build_packages=(libsqlite3-dev libpq-dev libnghttp2-dev zlib1g-dev libzip-dev libqrencode-dev pkg-config)
# What the tests talk to and through.
test_packages=(chromium-headless-shell curl nghttp2-client nghttp2-server openssl postgresql-15 python3 python3-h2 python3-venv iproute2 util-linux)
# What the generated clients are made and run with.
client_packages=(default-jre-headless node-typescript nodejs python3 python3-venv)
# What the blocks of the documentation use: their clients, and a network namespace for their ports.
docs_packages=(curl iproute2 jq nodejs openssl php-cli python3 python3-venv ruby util-linux)
# What the benchmarks load with.
bench_packages=(binutils postgresql-15 nghttp2-client openssl python3 wrk gcc libc6-dev libssl-dev util-linux)
