#!/usr/bin/env python3
"""The campaign benchmark: one SQLite server on one core, the APNs simulator on the other.

Imports DEVICES device tokens, then sends one campaign to all of them, RUNS times. Measured from the POST to the last
committed outcome; counted at the simulator. While it runs, a client registers devices and takes the times of its
answers. Prints one JSON line.
"""
import argparse
import http.client
import json
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import threading
import time


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carillon", required=True, help="the release build of carillon")
    parser.add_argument("--devices", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--writes-per-second", type=int, default=50, help="API writes while the campaign runs")
    return parser.parse_args()


class Child:
    """A process on one core whose first line of output is JSON."""

    def __init__(self, core, command):
        self.process = subprocess.Popen(
            ["taskset", "-c", str(core), *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.line = json.loads(self.process.stdout.readline())

    def anonymous_kib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith("RssAnon"):
                    return int(line.split()[1])
        return 0

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


class API:
    def __init__(self, port, key=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.key = key

    def call(self, method, path, body=None, headers=None):
        headers = dict(headers or {})
        if self.key:
            headers["Authorization"] = "Bearer " + self.key
        if body is not None:
            headers["Content-Type"] = "application/json"
        self.connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self.connection.getresponse()
        data = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {data[:300]!r}")
        return json.loads(data) if data else None


class Writer(threading.Thread):
    """Registers devices at a steady rate and takes the times of the answers."""

    def __init__(self, port, app_key, rate):
        super().__init__(daemon=True)
        self.api, self.app_key, self.rate = API(port), app_key, rate
        self.times, self.ended = [], threading.Event()

    def run(self):
        generator = random.Random(1)
        while not self.ended.wait(1 / self.rate):
            device = "%08x-%04x-4%03x-8%03x-%012x" % tuple(generator.getrandbits(n) for n in (32, 16, 12, 12, 48))
            body = {"token": "%064x" % generator.getrandbits(256), "consent": {"notifications": False}}
            headers = {"Carillon-App-Key": self.app_key, "Carillon-Device-Secret": "A" * 43}
            begin = time.monotonic()
            self.api.call("PUT", "/v1/devices/" + device, body, headers)
            self.times.append((time.monotonic() - begin) * 1000)


def import_devices(carillon, folder, app, count):
    path = os.path.join(folder, "devices.csv")
    generator = random.Random(7)
    languages = ["en-US", "ja-JP", "ko-KR", "de-DE", "fr-FR"]
    with open(path, "w") as file:
        file.write("token,user,language,country,time_zone,consent_notifications\n")
        for number in range(count):
            language = languages[number % len(languages)]
            file.write(f"{generator.getrandbits(256):064x},u{number},{language},{language[-2:]},Asia/Tokyo,true\n")
    begin = time.monotonic()
    subprocess.run(
        [carillon, "import", "devices", path, "--data", os.path.join(folder, "data"), "--app", app],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - begin


def serve(carillon, folder, simulator):
    return Child(0, [
        carillon, "serve", "--data", os.path.join(folder, "data"), "--port", "0", "--json",
        "--apns-host", f"{simulator.line['host']}:{simulator.line['port']}", "--apns-ca-file", simulator.line["caFile"],
        "--registration-rate", "0",
    ])


def prepare(options, folder, simulator):
    server = serve(options.carillon, folder, simulator)
    api = API(server.line["port"], server.line["adminKey"])
    secrets = api.call("POST", "/v1/apps", {"name": "Bench", "bundleID": "com.example.app", "identity": "open"})
    app = secrets["app"]["id"]
    api.call("PUT", f"/v1/apps/{app}/push-key", {
        "keyID": simulator.line["keyID"], "teamID": simulator.line["teamID"],
        "privateKey": open(simulator.line["keyFile"]).read(),
    })
    server.stop()
    return app, secrets["appKey"], api.key


def run_once(options, server, simulator_api, api, app, app_key):
    simulator_api.call("POST", "/reset")
    writer = Writer(server.line["port"], app_key, options.writes_per_second)
    writer.start()
    content = {"default": {"title": "Breaking news", "body": "The quick brown fox jumps over the lazy dog"},
               "ja": {"title": "速報", "body": "速い茶色の狐がのろまな犬を飛び越える"}}
    cpu, memory, begin = server.cpu_seconds(), 0, time.monotonic()
    campaign = api.call("POST", "/v1/campaigns", {
        "app": app, "audience": {"all": True}, "message": {"content": content, "sound": "default"}})
    path = "/v1/campaigns/" + campaign["id"]
    while True:
        state = api.call("GET", path)["state"]
        memory = max(memory, server.anonymous_kib())
        if state not in ("scheduled", "sending"):
            break
        time.sleep(0.05)
    seconds = time.monotonic() - begin
    writer.ended.set()
    writer.join()
    stats = simulator_api.call("GET", "/stats")
    funnel = api.call("GET", path + "/funnel")
    if state != "sent" or stats["distinctTokensAccepted"] < options.devices or stats["shownTwice"]:
        raise RuntimeError(f"{state}: {stats} {funnel}")
    times = sorted(writer.times) or [0]
    return {
        "rate": stats["accepted"] / seconds, "seconds": seconds, "rssAnonMiB": memory / 1024,
        "p99": times[min(len(times) - 1, int(len(times) * 0.99))], "writes": len(times),
        "cpuMicroseconds": (server.cpu_seconds() - cpu) / stats["accepted"] * 1e6,
    }


def main():
    options = arguments()
    folder = tempfile.mkdtemp(prefix="carillon-bench-")
    simulator = Child(1, [
        options.carillon, "simulate", "apns", "--port", "0", "--control-port", "0", "--json", "--record", "0",
        "--topic", "com.example.app", "--folder", folder])
    server = None
    try:
        simulator_api = API(simulator.line["controlPort"])
        app, app_key, admin_key = prepare(options, folder, simulator)
        import_seconds = import_devices(options.carillon, folder, app, options.devices)
        server = serve(options.carillon, folder, simulator)
        api = API(server.line["port"], admin_key)
        runs = [run_once(options, server, simulator_api, api, app, app_key) for _ in range(options.runs)]
        middle = lambda name: round(statistics.median(run[name] for run in runs), 1)
        print(json.dumps({
            "bench": "campaign", "devices": options.devices, "runs": options.runs, "carillon": round(middle("rate")),
            "unit": "notifications/s", "lowest": round(min(run["rate"] for run in runs)),
            "highest": round(max(run["rate"] for run in runs)), "seconds": middle("seconds"),
            "serverMicrosecondsEach": middle("cpuMicroseconds"),
            "peakRssAnonMiB": round(max(run["rssAnonMiB"] for run in runs), 1),
            "sqliteCacheMiB": server.line.get("cacheMiB"), "apiWrites": sum(run["writes"] for run in runs),
            "apiWriteP99Milliseconds": middle("p99"), "importedPerSecond": round(options.devices / import_seconds),
        }))
    finally:
        if server:
            server.stop()
        simulator.stop()
        shutil.rmtree(folder)


main()
