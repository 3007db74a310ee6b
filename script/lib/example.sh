# What the scripts that run an example of a back end share: a built carillon, a temporary folder, a server and a simulated Apple.
#
#   CARILLON   a built carillon (default: the debug build, which is brought up to date)

if [ -z "${CARILLON:-}" ]; then
    swift build --traits Server --product carillon >&2
    CARILLON=$(swift build --traits Server --show-bin-path)/carillon
fi

folder=$(mktemp -d)
processes=()
finish() {
    for process in "${processes[@]}"; do
        kill "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    rm -rf "$folder"
}
trap finish EXIT
field() { python3 -c 'import json, sys; print(json.loads(sys.argv[2])[sys.argv[1]])' "$@"; }

# Starts both on free ports; sets `apns` and `server` to the lines that they announce themselves with.
start_server() { # start_server [OPTION OF carillon serve ...]
    mkfifo "$folder/apns" "$folder/server"
    "$CARILLON" simulate apns --json --port 0 --control-port 0 --folder "$folder/simulator" \
        > "$folder/apns" 2> "$folder/apns-log" &
    processes+=($!)
    read -r apns < "$folder/apns" || { cat "$folder/apns-log" >&2; exit 1; }
    "$CARILLON" serve --json --data "$folder/data" --port 0 \
        --apns-host "127.0.0.1:$(field port "$apns")" --apns-ca-file "$(field caFile "$apns")" "$@" \
        > "$folder/server" 2> "$folder/log" &
    processes+=($!)
    read -r server < "$folder/server" || { cat "$folder/log" >&2; exit 1; }
}

# Runs a program of script/lib against them; the server's log follows what it says when it fails.
run_example() { # run_example PYTHON PROGRAM [ARGUMENT...]
    local python=$1 program=$2
    shift 2
    PYTHONDONTWRITEBYTECODE=1 "$python" -W error "script/lib/$program" --server "$server" --apns "$apns" "$@" \
        || { cat "$folder/log" >&2; exit 1; }
}
