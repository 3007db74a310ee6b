# Sourced by the scripts: a PostgreSQL server of their own, on loopback, at a free port, in a temporary folder.
#
#     source script/lib/postgres.sh
#     trap postgres_stop EXIT
#     postgres_start                # sets postgres_url
#     CARILLON_TEST_POSTGRES=$postgres_url swift test …
#
# postgres_start [NAME=VALUE...]: starts it; each NAME=VALUE is a setting of postgresql.conf, on top of those here.
#     fsync is on unless `fsync=off` says otherwise (right for tests that do not kill the machine). Sets
#     postgres_url   postgres://carillon:PASSWORD@127.0.0.1:PORT/carillon; the user may make and drop databases
#     postgres_dir   its folder; the log is in postgres_dir/log
#     postgres_port  its port
# postgres_stop: ends it and removes the folder; harmless when none runs.
# postgres_kill: SIGKILL to all of it, as if the machine lost power; postgres_again starts it on the same data.

postgres_dir= postgres_url= postgres_port=

# PostgreSQL refuses to run as root.
_postgres_user() {
    if [ "$(id -u)" -eq 0 ]; then
        (cd / && setpriv --reuid=postgres --regid=postgres --init-groups --inh-caps=-all -- "$@")
    else
        "$@"
    fi
}

_postgres_bin() {
    local folder
    for folder in /usr/lib/postgresql/15/bin /opt/homebrew/opt/postgresql@15/bin; do
        [ -x "$folder/postgres" ] && echo "$folder" && return 0
    done
    folder=$(dirname "$(command -v postgres || true)")
    [ -x "$folder/postgres" ] && echo "$folder" && return 0
    echo "PostgreSQL 15 is missing: apt-get install postgresql-15" >&2
    return 1
}

postgres_start() {
    local bin password setting attempt
    bin=$(_postgres_bin) || return 1
    postgres_stop
    # Its user must reach the folder: a script's own temporary folder is often for root alone.
    if [ "$(id -u)" -eq 0 ]; then
        postgres_dir=$(mktemp -d /tmp/carillon-postgres.XXXXXX)
        chown postgres: "$postgres_dir"
    else
        postgres_dir=$(mktemp -d "${TMPDIR:-/tmp}/carillon-postgres.XXXXXX")
    fi
    password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    (umask 077 && printf '%s\n' "$password" >"$postgres_dir/password")
    [ "$(id -u)" -ne 0 ] || chown postgres: "$postgres_dir/password"
    _postgres_user "$bin/initdb" -D "$postgres_dir/data" -U carillon --pwfile="$postgres_dir/password" \
        --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-sync >/dev/null || return 1
    {
        echo "listen_addresses = '127.0.0.1'"
        echo "unix_socket_directories = ''"
        # Every test has a database of its own, and every database some connections.
        echo "max_connections = 1000"
        echo "shared_buffers = '256MB'"
        echo "max_wal_size = '2GB'"
        echo "log_min_messages = warning"
        for setting in "$@"; do printf "%s = '%s'\n" "${setting%%=*}" "${setting#*=}"; done
    } | _postgres_user tee -a "$postgres_dir/data/postgresql.conf" >/dev/null
    for attempt in 1 2 3 4 5 6 7 8; do
        postgres_port=$((20000 + RANDOM % 12000))
        if postgres_again 2>/dev/null; then
            postgres_url="postgres://carillon:$password@127.0.0.1:$postgres_port/carillon"
            PGPASSWORD=$password "$bin/createdb" -h 127.0.0.1 -p "$postgres_port" -U carillon carillon || return 1
            return 0
        fi
        grep -q 'Address already in use' "$postgres_dir/log" || break
    done
    echo "PostgreSQL did not start:" >&2
    tail -n 5 "$postgres_dir/log" >&2
    return 1
}

# Starts what postgres_start has made, at the same port.
postgres_again() {
    local bin
    bin=$(_postgres_bin) || return 1
    _postgres_user "$bin/pg_ctl" -D "$postgres_dir/data" -l "$postgres_dir/log" -o "-p $postgres_port" -w -t 60 start >/dev/null
}

postgres_kill() {
    [ -n "$postgres_dir" ] || return 0
    local pid
    pid=$(head -n 1 "$postgres_dir/data/postmaster.pid" 2>/dev/null) || return 0
    # Its children end by themselves when they see that their parent is gone.
    kill -KILL "$pid" 2>/dev/null || true
    while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
}

postgres_stop() {
    [ -n "$postgres_dir" ] || return 0
    _postgres_user "$(_postgres_bin)/pg_ctl" -D "$postgres_dir/data" -m immediate -w -t 30 stop >/dev/null 2>&1 || true
    rm -rf "$postgres_dir"
    postgres_dir='' postgres_url='' postgres_port=''
}
