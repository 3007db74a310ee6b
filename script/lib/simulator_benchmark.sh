# Sourced by the benchmarks of the simulator: starts a release build of it on core 1 in $folder, where `out` says where.
binary=${CARILLON_BINARY:-}
if [ -z "$binary" ]; then
    swift build --traits Server -c release --product carillon >&2
    binary=$(swift build --traits Server -c release --show-bin-path)/carillon
fi

folder=${folder:-$(mktemp -d)}
simulator=
trap '[ -z "$simulator" ] || kill "$simulator" 2>/dev/null || true; rm -rf "$folder"' EXIT

# start_simulator OPTION...
start_simulator() {
    taskset -c 1 "$binary" simulate apns --port 0 --control-port 0 --folder "$folder" --json "$@" \
        >"$folder/out" 2>"$folder/err" &
    simulator=$!
    for _ in $(seq 300); do
        [ -s "$folder/out" ] && return
        kill -0 "$simulator" || { cat "$folder/err" >&2; exit 1; }
        sleep 0.1
    done
}
