"""The benchmark of the vendor APIs: what a call of theirs costs more than the same one through V1.

Campaigns to DEVICES imported devices are sent by V1 and by a vendor's call in turns, RUNS times each, with the same text,
so that phones get the same payload; measured from the request to the last committed outcome. Then wrk registers devices
by V1 and by TOAST Push's call in turns, with the same fields. Prints one JSON line for each API and kind.

The machine's speed changes from one minute to the next by more than what is measured: `ratio` is the median of the
ratios of RUNS pairs, whose two runs follow each other, and every other pair begins with the vendor's call.
"""
import argparse
import base64
import json
import os
import statistics
import sys
import urllib.parse
import urllib.request

from bench_bars import at_least, judged
from bench_server import DEVICE_SECRET, REGISTER, Bench, spread
from bench_world import CONTENT, World, print_json, write_devices

TOAST_REGISTER = """
local thread = 0
function setup(t) t:set("id", thread); thread = thread + 1 end
function init() math.randomseed(%(run)d * 1000 + id) end
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local function hex(digits) return string.format("%%0" .. digits .. "x", math.random(0, 16 ^ digits - 1)) end
function request()
  local device = hex(8) .. "-" .. hex(4) .. "-4" .. hex(3) .. "-8" .. hex(3) .. "-" .. hex(12)
  local token = hex(12) .. hex(12) .. hex(12) .. hex(12) .. hex(12) .. hex(4)
  return wrk.format(nil, "/push/v2.4/appkeys/%(appKey)s/tokens", nil, '{"token":"' .. token ..
    '","pushType":"APNS","uid":"' .. hex(12) .. '","deviceId":"' .. device .. '","isNotificationAgreement":true,' ..
    '"isAdAgreement":true,"isNightAdAgreement":false,"timezoneId":"Asia/Tokyo","country":"JP","language":"ja"}')
end
"""


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carillon", required=True, help="a release build of carillon")
    parser.add_argument("--devices", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=10, help="pairs of runs, one by V1 and one by the vendor's call")
    parser.add_argument("--seconds", type=int, default=8, help="a run of registrations")
    parser.add_argument("--connections", type=int, default=64, help="for registrations")
    parser.add_argument("--directory", help="where the store of the registrations lies")
    return parser.parse_args()


class VendorWorld(World):
    """A world whose App has both vendor APIs."""

    def turn_on(self):
        self.keys = {
            name: self.api.call("PUT", f"/v1/apps/{self.app}/vendor-apis/{name}", {}) for name in ("toast", "corepush")}

    def newest_campaign(self):
        return "/v1/campaigns/" + self.api.call("GET", f"/v1/campaigns?app={self.app}&limit=1")["items"][0]["id"]

    def ask(self, path, body, headers):
        request = urllib.request.Request(f"http://127.0.0.1:{self.api.port}/{path}", body, headers, method="POST")
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def post_toast(self):
        keys = self.keys["toast"]
        content = {language: dict(texts) for language, texts in CONTENT.items()}
        content["default"]["sound"] = "default"
        body = {"target": {"type": "ALL"}, "messageType": "NOTIFICATION", "content": content}
        answer = self.ask(f"push/v2.4/appkeys/{keys['key']}/messages", json.dumps(body).encode(), {
            "Content-Type": "application/json", "X-Secret-Key": keys["secret"]})
        if not answer["header"]["isSuccessful"]:
            sys.exit(f"POST messages: {answer}")
        return self.newest_campaign()

    def post_corepush(self):
        keys = self.keys["corepush"]
        items = [{"app_user_id": "9999999999", "message": CONTENT["default"]["body"]}]
        form = {"config_key": keys["key"], "request_data": base64.b64encode(json.dumps(items).encode()).decode()}
        credentials = base64.b64encode(b"corepush:" + keys["secret"].encode()).decode()
        answer = self.ask("iphone_push_request.php", urllib.parse.urlencode(form).encode(), {
            "Content-Type": "application/x-www-form-urlencoded", "Authorization": "Basic " + credentials})
        if answer["status"] != "0":
            sys.exit(f"iphone_push_request.php: {answer}")
        return self.newest_campaign()


def campaigns(options):
    texts = {
        "toast": {"content": CONTENT, "sound": "default", "isLiteral": True},
        "corepush": {"content": {"default": {"body": CONTENT["default"]["body"]}}, "isLiteral": True},
    }
    with VendorWorld(options.carillon) as world:
        path = os.path.join(world.folder, "devices.csv")
        write_devices(path, options.devices)
        world.import_stopped(path)
        world.start_nodes()
        world.turn_on()
        for name, message in texts.items():
            world.api.call("PATCH", f"/v1/apps/{world.app}", {"dialect": name})
            posts = {
                "v1": lambda: world.post(message, {"all": True}),
                "vendor": world.post_toast if name == "toast" else world.post_corepush,
            }
            compare(options, world, name, posts)


def in_turns(kinds, pair):
    """The kinds of a pair's runs; every other pair has them the other way round."""
    return list(kinds) if pair % 2 else list(reversed(kinds))


def ratio(rates):
    return round(statistics.median(vendor / v1 for v1, vendor in zip(rates["v1"], rates["vendor"])), 3)


def compare(options, world, name, posts):
    """The first run of each warms up."""
    runs = {kind: [] for kind in posts}
    for run in range(options.runs + 1):
        for kind in in_turns(posts, run):
            found = world.send(None, options.devices, writes_per_second=0, post=posts[kind])
            if run > 0:
                runs[kind].append(found)
    rates = {kind: [run["rate"] for run in found] for kind, found in runs.items()}
    costs = {kind: statistics.median(run["cpuMicroseconds"] for run in found) for kind, found in runs.items()}
    print_json(judged({
        "bench": "vendor", "api": name, "devices": options.devices, "runs": options.runs, "unit": "notifications/s",
        "v1": spread(rates["v1"]), "vendor": spread(rates["vendor"]),
        "ratio": ratio(rates),
        "v1MicrosecondsEach": round(costs["v1"], 2), "vendorMicrosecondsEach": round(costs["vendor"], 2),
    }, {"ratio": at_least(0.97)}))


def registrations(options):
    bench = Bench(options)
    try:
        server = bench.serve()
        keys = bench.call("PUT", f"/v1/apps/{bench.app}/vendor-apis/toast", {})
        scripts = {
            "v1": lambda run: REGISTER % {"run": run, "appKey": bench.app_key, "deviceSecret": DEVICE_SECRET},
            "vendor": lambda run: TOAST_REGISTER % {"run": run, "appKey": keys["key"]},
        }
        rates, costs = {kind: [] for kind in scripts}, {kind: [] for kind in scripts}
        for run, kind in enumerate(kind for pair in range(options.runs + 1) for kind in in_turns(scripts, pair)):
            before, cpu = bench.count("SELECT count(*) FROM devices"), server.cpu_seconds()
            requests, seconds, _ = bench.wrk(scripts[kind](run), options.seconds if run > 1 else 2)
            kept = bench.count("SELECT count(*) FROM devices") - before
            # What was under way when wrk stopped, now or before, may be kept without being counted.
            if not requests <= kept <= requests + 2 * options.connections:
                sys.exit(f"{kind}: wrk counted {requests} answers, the store has {kept} new devices")
            if run > 1:
                rates[kind].append(requests / seconds)
                costs[kind].append((server.cpu_seconds() - cpu) / requests * 1e6)
        print_json(judged({
            "bench": "vendor", "api": "toast", "kind": "registrations", "connections": options.connections,
            "seconds": options.seconds, "runs": options.runs, "unit": "registrations/s",
            "v1": spread(rates["v1"]), "vendor": spread(rates["vendor"]),
            "ratio": ratio(rates),
            "v1MicrosecondsEach": round(statistics.median(costs["v1"]), 1),
            "vendorMicrosecondsEach": round(statistics.median(costs["vendor"]), 1),
        }, {"ratio": at_least(0.9)}))
    finally:
        bench.close()


def main():
    options = parse()
    campaigns(options)
    registrations(options)


main()
