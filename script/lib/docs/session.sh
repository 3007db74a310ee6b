# The beginning of each page's script: simulator and server at their usual ports, an App with a push key, a Device, a tag and
# a Campaign, under the names that the pages use for them.
set -Eeuo pipefail
trap 'printf "\nFAILED %s\n" "$block"' ERR
block=set-up
ip link set lo up

# A refused request fails its block; a stream is read for a second.
curl() {
    local word
    for word in "$@"; do
        if [[ $word =~ ^-[a-zA-Z]*f[a-zA-Z]*$ ]]; then
            command curl --max-time 30 "$@"
            return
        fi
        if [[ $word =~ ^-[a-zA-Z]*N[a-zA-Z]*$ ]]; then
            command curl --fail-with-body --max-time 1 "$@" || [ $? = 28 ]
            return
        fi
    done
    command curl --fail-with-body --max-time 30 "$@"
}

# With the options of the build that a walk starts with, if any.
swift() {
    local verb=$1
    shift
    # shellcheck disable=SC2086
    command swift "$verb" ${CARILLON_OPTIONS:-} "$@"
}

# Nobody has another user's password here; the commands themselves are what matters.
sudo() {
    if [ "$1" = -u ]; then shift 2; fi
    "$@"
}

until_true() { # until_true COMMAND: at most 20 seconds
    local tries=0
    until eval "$1" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ "$tries" -lt 200 ] || { echo "never true: $1"; return 1; }
        sleep 0.1
    done
}

request() { # request STATUS METHOD PATH [BODY]
    local status
    status=$(command curl -sS --max-time 30 -o answer -w '%{http_code}' -X "$2" "http://127.0.0.1:8080$3" \
        -H "Authorization: Bearer $KEY" -H "Carillon-App-Key: $APP_KEY" -H "Carillon-Device-Secret: $DEVICE_SECRET" \
        ${4:+-H "Content-Type: application/json" -d "$4"})
    if [[ $status == "$1"* ]]; then return 0; fi
    echo "$2 $3: $status"
    cat answer
    return 1
}

answer() { python3 -c 'import json, sys; print(eval(sys.argv[1], {"it": json.load(open("answer"))}))' "$1"; }

if [ -z "$OWN_SERVERS" ]; then
    carillon simulate apns >simulator.log 2>&1 &
    until_true 'command curl -sf localhost:2198/health'
    carillon serve --json --data "$WORK/data" --apns-host 127.0.0.1:2197 \
        --apns-ca-file "$TMPDIR/carillon-apns-simulator/ca.pem" >announcement 2>server.log &
    until_true 'command curl -sf localhost:8080/ready && test -s announcement'
    export KEY APP APP_KEY IDENTITY_SECRET DEVICE DEVICE_SECRET SECRET TAG CAMPAIGN EXPIRES SIGNATURE
    KEY=$(cat "$(python3 -c 'import json; print(json.load(open("announcement"))["adminKeyFile"])')")
    export CARILLON_SERVER=http://127.0.0.1:8080
    APP_KEY=none DEVICE_SECRET=$(printf 's%.0s' {1..43})
    SECRET=$DEVICE_SECRET
    request 201 POST /v1/apps '{"name":"City Bus","bundleID":"com.example.app"}'
    APP=$(answer 'it["app"]["id"]') APP_KEY=$(answer 'it["appKey"]') IDENTITY_SECRET=$(answer 'it["identitySecret"]')
    cp "$TMPDIR/carillon-apns-simulator/AuthKey_SIMKEY0001.p8" AuthKey.p8
    request 2 PUT "/v1/apps/$APP/push-key" "$(python3 -c 'import json; print(json.dumps(
        {"keyID": "SIMKEY0001", "teamID": "SIMTEAM001", "privateKey": open("AuthKey.p8").read()}))')"
    command curl -sS localhost:2198/tokens -d '{"topic":"com.example.app"}' >answer
    TOKEN=$(answer 'it["tokens"][0]')
    DEVICE=3f2504e0-4f89-41d3-9a0c-0305e82c3301
    EXPIRES=$(($(date +%s) + 3600))
    SIGNATURE=$(printf '%s\nu-1\n%s' "$APP" "$EXPIRES" | openssl dgst -sha256 -hmac "$IDENTITY_SECRET" -binary |
        base64 | tr '+/' '-_' | tr -d '=')
    request 2 PUT "/v1/devices/$DEVICE" "{\"token\":\"$TOKEN\",\"pushType\":\"apns\",\"language\":\"ko\",
        \"timeZone\":\"Asia/Seoul\",\"consent\":{\"notifications\":true,\"ads\":true},
        \"user\":\"u-1\",\"userProof\":{\"expires\":$EXPIRES,\"signature\":\"$SIGNATURE\"}}"
    request 201 POST "/v1/tags?app=$APP" '{"name":"sports"}'
    TAG=$(answer 'it["id"]')
    request 2 POST "/v1/campaigns?app=$APP" "{\"audience\":{\"all\":true},
        \"message\":{\"content\":{\"default\":{\"title\":\"Hello\"}}}}"
    CAMPAIGN=$(answer 'it["id"]')
    until_true 'request 2 GET /v1/campaigns/$CAMPAIGN && grep -q "\"sent\"" answer'
    # A key of the App alone, as a back end has; $KEY is one of the server.
    request 201 POST "/v1/keys?app=$APP" "{\"name\":\"back end\",\"scopes\":[\"admin\",\"messages\"]}"
    export CARILLON_API_KEY
    CARILLON_API_KEY=$(answer 'it["secret"]')
fi
