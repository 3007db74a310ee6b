"""The benchmarks of the API: registrations and events over HTTP, the server on one core, wrk on the other.

Every request that wrk counts is a 2xx, and what the server says that it kept is counted in its database afterwards.
Device ids, tokens and users are random, as they are in life: each registration meets pages of its own.
"""
import argparse
import json
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

from announcement import admin_key
from bench_bars import at_least, judged
from server_limits import UNLIMITED

DEVICE_SECRET = "s" * 43

REGISTER = """
local thread = 0
function setup(t) t:set("id", thread); thread = thread + 1 end
function init() math.randomseed(%(run)d * 1000 + id) end
local count = 0
wrk.method = "PUT"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Carillon-App-Key"] = "%(appKey)s"
wrk.headers["Carillon-Device-Secret"] = "%(deviceSecret)s"
local function hex(digits) return string.format("%%0" .. digits .. "x", math.random(0, 16 ^ digits - 1)) end
function request()
  count = count + 1
  local device = hex(8) .. "-" .. hex(4) .. "-4" .. hex(3) .. "-8" .. hex(3) .. "-" .. hex(12)
  local token = hex(12) .. hex(12) .. hex(12) .. hex(12) .. hex(12) .. hex(4)
  return wrk.format(nil, "/v1/devices/" .. device, nil, '{"token":"' .. token .. '","pushType":"apns","user":"' ..
    hex(12) .. '","consent":{"notifications":true,"ads":true,"nightAds":false},"permission":"authorized",' ..
    '"language":"ja","country":"JP","timeZone":"Asia/Tokyo","appVersion":"1.2.3","osVersion":"iOS 17.4",' ..
    '"model":"iPhone15,3","sdkVersion":"1.0.0"}')
end
"""

EVENTS = """
local bodies = {}
for line in io.lines("%(file)s") do bodies[#bodies + 1] = line end
local count = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Carillon-App-Key"] = "%(appKey)s"
function request()
  count = count + 1
  return wrk.format(nil, "/v1/events", nil, bodies[(count - 1) %% #bodies + 1])
end
"""


class Child:
    """A process on one core whose first line of output is JSON."""

    def __init__(self, core, log, command):
        with open(log, "w") as errors:
            self.process = subprocess.Popen(
                ["taskset", "-c", str(core), *command], stdout=subprocess.PIPE, stderr=errors, text=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{' '.join(command[:2])} did not start; see {open(log).read()}")
        self.line = json.loads(line)

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def anonymous_mib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith("RssAnon"):
                    return int(line.split()[1]) / 1024
        return 0

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="carillon-bench-", dir=options.directory)
        self.children = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, core, name, *command, program=None):
        child = Child(core, self.path(name + ".log"), [program or self.options.carillon, *command])
        self.children.append(child)
        return child

    def serve(self, *more):
        server = self.start(0, "serve", "serve", "--json", "--data", self.path("data"), "--port", "0",
                            *UNLIMITED, *more)
        self.url, self.key = server.line["url"], admin_key(server.line)
        app = self.call("POST", "/v1/apps", {"name": "Bench", "bundleID": "com.example.app", "identity": "open"})
        self.app, self.app_key = app["app"]["id"], app["appKey"]
        return server

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode() if body is not None else None,
            {"Content-Type": "application/json", "Authorization": "Bearer " + self.key}, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def count(self, sql):
        connection = sqlite3.connect(f"file:{self.path('data/carillon.sqlite')}?mode=ro", uri=True)
        try:
            return connection.execute(sql).fetchone()[0]
        finally:
            connection.close()

    def wrk(self, script, seconds, url=None):
        """Runs wrk on core 1; its count, seconds and latencies. Any other answer than a 2xx ends the benchmark."""
        path = self.path("load.lua")
        with open(path, "w") as file:
            file.write(script)
        command = ["taskset", "-c", "1", "wrk", "-t", "1", "-c", str(self.options.connections), "-d", f"{seconds}s",
                   "--timeout", "10s", "--latency", "-s", path, url or self.url]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        if "Non-2xx" in output or "Socket errors" in output:
            sys.exit(output)
        requests, elapsed, unit = re.search(r"(\d+) requests in ([\d.]+)(ms|s|m),", output).groups()
        latency = {name: self.milliseconds(output, name) for name in ("50%", "99%")}
        return int(requests), float(elapsed) * {"ms": 0.001, "s": 1, "m": 60}[unit], latency

    @staticmethod
    def milliseconds(output, name):
        value, unit = re.search(name + r"\s+([\d.]+)(us|ms|s)", output).groups()
        return float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]

    def close(self):
        for child in reversed(self.children):
            child.stop()
        shutil.rmtree(self.folder)


def spread(values):
    return {"median": round(statistics.median(values)), "least": round(min(values)), "most": round(max(values))}


class Bare:
    """The HTTP stack alone, which reads each body and keeps nothing, on the server's core; in turns with the server."""

    def __init__(self, bench):
        self.server = bench.start(0, "bare", program=bench.options.bare)
        self.rates, self.costs = [], []

    def run(self, bench, run, seconds):
        cpu = self.server.cpu_seconds()
        script = REGISTER % {"run": run, "appKey": bench.app_key, "deviceSecret": DEVICE_SECRET}
        requests, elapsed, _ = bench.wrk(script, seconds, self.server.line["url"])
        self.rates.append(requests / elapsed)
        self.costs.append((self.server.cpu_seconds() - cpu) / requests * 1e6)

    def line(self):
        return {"bareRequestsPerSecond": spread(self.rates), "bareMicrosecondsEach": round(statistics.median(self.costs), 1)}


def register(bench):
    options = bench.options
    bare = Bare(bench) if options.bare else None
    server = bench.serve()
    bench.wrk(REGISTER % {"run": 0, "appKey": bench.app_key, "deviceSecret": DEVICE_SECRET}, 2)
    rates, costs, p50, p99 = [], [], [], []
    for run in range(1, options.runs + 1):
        if bare:
            bare.run(bench, run, options.seconds)
        before, cpu = bench.count("SELECT count(*) FROM devices"), server.cpu_seconds()
        script = REGISTER % {"run": run, "appKey": bench.app_key, "deviceSecret": DEVICE_SECRET}
        requests, seconds, latency = bench.wrk(script, options.seconds)
        kept = bench.count("SELECT count(*) FROM devices") - before
        # What was under way when wrk stopped, now or before, may be kept without being counted.
        if not requests <= kept <= requests + 2 * options.connections:
            sys.exit(f"wrk counted {requests} answers, the store has {kept} new devices")
        rates.append(requests / seconds)
        costs.append((server.cpu_seconds() - cpu) / requests * 1e6)
        p50.append(latency["50%"])
        p99.append(latency["99%"])
    print(json.dumps(judged({
        "bench": "register", "connections": options.connections, "seconds": options.seconds, "runs": options.runs,
        "registrationsPerSecond": spread(rates), "serverMicrosecondsEach": round(statistics.median(costs), 1),
        "p50Milliseconds": round(statistics.median(p50), 2), "p99Milliseconds": round(statistics.median(p99), 2),
        "devices": bench.count("SELECT count(*) FROM devices"), "rssAnonMiB": round(server.anonymous_mib()),
        "sqliteCacheMiB": server.line["cacheMiB"], **(bare.line() if bare else {}),
    }, {"registrationsPerSecond.median": at_least(15_000)})), flush=True)


def receipts(bench, simulator):
    """Sends a campaign to all devices; what phones would get of it, from the simulator's record."""
    control = f"http://127.0.0.1:{simulator.line['controlPort']}"
    urllib.request.urlopen(urllib.request.Request(control + "/reset", b"", method="POST")).read()
    campaign = bench.call("POST", f"/v1/campaigns?app={bench.app}", {
        "audience": {"all": True}, "message": {"content": {"default": {"title": "Bench"}}}})
    end = time.monotonic() + 120
    while bench.call("GET", "/v1/campaigns/" + campaign["id"])["state"] != "sent":
        if time.monotonic() > end:
            sys.exit("the campaign that makes receipts was not sent within two minutes")
        time.sleep(0.2)
    with urllib.request.urlopen(control + "/requests?limit=100000") as answer:
        bodies = [json.loads(request["body"])["carillon"] for request in json.load(answer)]
    return [(body["o"], body["r"]) for body in bodies]


def write_batches(path, pushes, size):
    """Bodies of `size` events each: every push is received, opened and dismissed."""
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    events = [
        f'{{"occurrence":"{occurrence}","receipt":"{receipt}","kind":"{kind}","at":"{at}"}}'
        for kind in ("received", "opened", "dismissed") for occurrence, receipt in pushes]
    with open(path, "w") as file:
        for index in range(0, len(events) - size + 1, size):
            file.write('{"events":[' + ",".join(events[index:index + size]) + "]}\n")
    return len(events) // size * size


def events(bench):
    options = bench.options
    simulator = bench.start(1, "simulator", "simulate", "apns", "--port", "0", "--control-port", "0", "--json",
                            "--record", "100000", "--topic", "com.example.app", "--folder", bench.folder)
    server = bench.serve("--apns-host", f"127.0.0.1:{simulator.line['port']}", "--apns-ca-file", simulator.line["caFile"])
    with open(simulator.line["keyFile"]) as key:
        bench.call("PUT", f"/v1/apps/{bench.app}/push-key", {
            "keyID": simulator.line["keyID"], "teamID": simulator.line["teamID"], "privateKey": key.read()})
    run = 0
    while bench.count("SELECT count(*) FROM devices") < options.devices:
        bench.wrk(REGISTER % {"run": run, "appKey": bench.app_key, "deviceSecret": DEVICE_SECRET}, 1)
        run += 1
    rates, costs, p50, p99 = [], [], [], []
    for _ in range(options.runs):
        total = write_batches(bench.path("events"), receipts(bench, simulator), options.batch)
        before, cpu = bench.count("SELECT count(*) FROM events"), server.cpu_seconds()
        script = EVENTS % {"file": bench.path("events"), "appKey": bench.app_key}
        requests, seconds, latency = bench.wrk(script, options.seconds)
        kept = bench.count("SELECT count(*) FROM events") - before
        if requests * options.batch >= total:
            sys.exit(f"all {total} events were reported before the time was over: take more --devices or less --seconds")
        # What was under way when wrk stopped may be kept without being counted.
        if not requests <= kept / options.batch <= requests + options.connections:
            sys.exit(f"wrk counted {requests} answers, the store has {kept} new events")
        rates.append(requests * options.batch / seconds)
        costs.append((server.cpu_seconds() - cpu) / kept * 1e6)
        p50.append(latency["50%"])
        p99.append(latency["99%"])
    print(json.dumps(judged({
        "bench": "events", "batch": options.batch, "connections": options.connections, "seconds": options.seconds,
        "runs": options.runs, "eventsPerSecond": spread(rates),
        "serverMicrosecondsEach": round(statistics.median(costs), 2),
        "p50Milliseconds": round(statistics.median(p50), 2), "p99Milliseconds": round(statistics.median(p99), 2),
        "rssAnonMiB": round(server.anonymous_mib()), "sqliteCacheMiB": server.line["cacheMiB"],
    }, {"eventsPerSecond.median": at_least(50_000)})), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=["register", "events"])
    parser.add_argument("--carillon", required=True, help="a release build of carillon")
    parser.add_argument("--bare", help="a release build of BareServer, in turns with the server, for register")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=int, help="a run; 8 for register, 2 for events")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--devices", type=int, default=100_000, help="for events")
    parser.add_argument("--batch", type=int, default=10, help="events in a request")
    parser.add_argument("--directory", help="where the store lies meanwhile")
    options = parser.parse_args()
    options.seconds = options.seconds or {"register": 8, "events": 2}[options.name]
    bench = Bench(options)
    try:
        {"register": register, "events": events}[bench.options.name](bench)
    finally:
        bench.close()


if __name__ == "__main__":
    main()
