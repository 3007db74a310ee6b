"""What the benchmarks of a whole server share: processes, the API, a store full of devices, and what is counted.

A world has an APNs simulator, a store (SQLite, or a PostgreSQL of its own in a temporary folder) and nodes on it.
Everything listens on loopback and is gone at the end.
"""
import contextlib
import http.client
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from announcement import admin_key
from server_limits import UNLIMITED

LANGUAGES = ["en-US", "ja-JP", "ko-KR", "de-DE", "fr-FR"]
CONTENT = {
    "default": {"title": "Breaking news", "body": "The quick brown fox jumps over the lazy dog"},
    "ja": {"title": "速報", "body": "速い茶色の狐がのろまな犬を飛び越える"},
}
POSTGRES = "/usr/lib/postgresql/15/bin/"


def say(text):
    print(text, file=sys.stderr, flush=True)


class Child:
    """A process whose first line of output is JSON; on one core if one is named."""

    def __init__(self, core, command, environment=None):
        pin = ["taskset", "-c", str(core)] if core is not None else []
        self.process = subprocess.Popen(
            [*pin, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, **(environment or {})})
        first = self.process.stdout.readline()
        if not first:
            raise RuntimeError(f"{command[0]} ended: {self.process.wait()}")
        self.line = json.loads(first)

    def anonymous_kib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                if line.startswith("RssAnon"):
                    return int(line.split()[1])
        return 0

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class API:
    def __init__(self, port, key=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.port, self.key = port, key

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

    def __init__(self, port, app_key, rate, consent=False):
        super().__init__(daemon=True)
        self.api, self.app_key, self.rate, self.consent = API(port), app_key, rate, consent
        self.times, self.ended = [], threading.Event()

    def run(self):
        generator = random.Random(time.time_ns())
        while not self.ended.wait(1 / self.rate):
            device = "%08x-%04x-4%03x-8%03x-%012x" % tuple(generator.getrandbits(n) for n in (32, 16, 12, 12, 48))
            body = {"token": "%064x" % generator.getrandbits(256), "consent": {"notifications": self.consent}}
            headers = {"Carillon-App-Key": self.app_key, "Carillon-Device-Secret": "A" * 43}
            begin = time.monotonic()
            self.api.call("PUT", "/v1/devices/" + device, body, headers)
            self.times.append((time.monotonic() - begin) * 1000)

    def finish(self):
        """Ends, and gives the 99th percentile of its answers' times in milliseconds, and how many there were."""
        self.ended.set()
        self.join()
        times = sorted(self.times) or [0]
        return times[min(len(times) - 1, int(len(times) * 0.99))], len(self.times)


class PostgreSQL:
    """A PostgreSQL of the benchmark's own, durable as in production (fsync on)."""

    def __init__(self, folder, settings=()):
        self.folder = os.path.join(folder, "postgresql")
        os.mkdir(self.folder)
        self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] if os.getuid() == 0 else []
        if self.user:
            os.chmod(folder, 0o755)
            shutil.chown(self.folder, "postgres", "postgres")
        data = os.path.join(self.folder, "data")
        subprocess.run(
            [*self.user, POSTGRES + "initdb", "-D", data, "-U", "carillon", "-A", "trust", "-E", "UTF8", "--locale=C"],
            check=True, stdout=subprocess.DEVNULL)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        options = ["shared_buffers=2GB", "max_wal_size=8GB", "checkpoint_timeout=15min", "max_connections=200", *settings]
        self.process = subprocess.Popen(
            [*self.user, POSTGRES + "postgres", "-D", data, "-p", str(self.port), "-k", self.folder,
             "-h", "127.0.0.1", *[part for option in options for part in ("-c", option)]],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while subprocess.run([POSTGRES + "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode:
            time.sleep(0.05)
        subprocess.run([POSTGRES + "createdb", *self.address(), "carillon"], check=True)
        self.url = f"postgres://carillon@127.0.0.1:{self.port}/carillon"

    def address(self):
        return ["-h", "127.0.0.1", "-p", str(self.port), "-U", "carillon"]

    def query(self, sql):
        answer = subprocess.run(
            [POSTGRES + "psql", *self.address(), "-d", "carillon", "-Atc", sql],
            check=True, stdout=subprocess.PIPE, text=True)
        return answer.stdout.strip()

    def cpu_seconds(self):
        """What the server and its backends that are still there have taken."""
        children = subprocess.run(["pgrep", "-P", str(self.process.pid)], stdout=subprocess.PIPE, text=True).stdout.split()
        total = 0
        for pid in [self.process.pid, *children]:
            with contextlib.suppress(FileNotFoundError):
                total += cpu_seconds(pid)
        return total

    def stop(self):
        self.process.send_signal(2)
        self.process.wait(120)


class World:
    """A simulator, a store and nodes. With SQLite the server has core 0 and the simulator core 1, unless both share all."""

    def __init__(self, carillon, store="sqlite", nodes=1, pinned=True, record=0, serve_options=()):
        self.carillon, self.store, self.node_count = carillon, store, nodes
        self.serve_options = serve_options
        self.folder = tempfile.mkdtemp(prefix="carillon-bench-")
        self.data = os.path.join(self.folder, "data")
        self.pinned = pinned and store == "sqlite"
        self.postgres = PostgreSQL(self.folder) if store == "postgres" else None
        self.nodes = []
        self.simulator = Child(1 if self.pinned else None, [
            carillon, "simulate", "apns", "--port", "0", "--control-port", "0", "--json", "--record", str(record),
            "--topic", "com.example.app", "--folder", self.folder])
        self.control = API(self.simulator.line["controlPort"])
        node = self.start()
        self.key = admin_key(node.line)
        self.api = API(node.line["port"], self.key)
        secrets = self.api.call("POST", "/v1/apps", {
            "name": "Bench", "bundleID": "com.example.app", "identity": "open"})
        self.app, self.app_key = secrets["app"]["id"], secrets["appKey"]
        self.api.call("PUT", f"/v1/apps/{self.app}/push-key", {
            "keyID": self.simulator.line["keyID"], "teamID": self.simulator.line["teamID"],
            "privateKey": open(self.simulator.line["keyFile"]).read(),
        })

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop_nodes()
        self.simulator.stop()
        if self.postgres:
            self.postgres.stop()
        shutil.rmtree(self.folder)

    def database_options(self, number=0):
        if self.postgres:
            return ["--database", self.postgres.url, "--data", f"{self.data}{number}",
                    "--master-key-file", os.path.join(self.folder, "master.key")]
        return ["--data", self.data]

    def start(self):
        """Starts one more node."""
        number = len(self.nodes)
        os.makedirs(f"{self.data}{number}", exist_ok=True)
        node = Child(0 if self.pinned else None, [
            self.carillon, "serve", *self.database_options(number), "--port", "0", "--json", *UNLIMITED,
            "--apns-host", f"{self.simulator.line['host']}:{self.simulator.line['port']}",
            "--apns-ca-file", self.simulator.line["caFile"], *self.serve_options,
        ])
        self.nodes.append(node)
        return node

    def start_nodes(self):
        while len(self.nodes) < self.node_count:
            self.start()
        self.api = API(self.nodes[0].line["port"], self.key)

    def stop_nodes(self):
        for node in self.nodes:
            node.stop()
        self.nodes = []

    def import_stopped(self, path):
        """Imports a file into the store that serves nobody; gives the seconds."""
        self.stop_nodes()
        place = ["--database", self.postgres.url] if self.postgres else ["--data", self.data]
        begin = time.monotonic()
        subprocess.run(
            [self.carillon, "import", "devices", path, *place, "--app", self.app],
            check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - begin

    def anonymous_mib(self):
        return max(node.anonymous_kib() for node in self.nodes) / 1024

    def cpu_seconds(self):
        return sum(node.cpu_seconds() for node in self.nodes)

    def post(self, message, audience):
        """Makes a campaign through V1 and gives its path."""
        campaign = self.api.call("POST", f"/v1/campaigns?app={self.app}", {"audience": audience, "message": message})
        return "/v1/campaigns/" + campaign["id"]

    def send(self, audience, expected, writes_per_second=50, latency=0, post=None):
        """Sends a campaign to its end and gives what was measured; raises when a notification is missing.

        The simulator answers each notification after so many milliseconds. `post` makes the request and returns the
        campaign's path; it is V1's with a text in two languages where none is given.
        """
        self.control.call("POST", "/reset")
        if latency:
            self.control.call("POST", "/faults", {"latencyMilliseconds": latency})
        writer = Writer(self.nodes[0].line["port"], self.app_key, writes_per_second) if writes_per_second else None
        if writer:
            writer.start()
        cpu, simulator = self.cpu_seconds(), self.simulator.cpu_seconds()
        memory, connections, first = 0, 0, None
        begin = time.monotonic()
        path = post() if post else self.post({"content": CONTENT, "sound": "default"}, audience)
        posted = time.monotonic() - begin
        while first is None and self.control.call("GET", "/stats")["accepted"] == 0:
            if time.monotonic() - begin > 60:
                raise RuntimeError("nothing is sent")
            time.sleep(0.001)
        first = time.monotonic() - begin
        while True:
            state = self.api.call("GET", path)["state"]
            memory = max(memory, self.anonymous_mib())
            connections = max(connections, self.control.call("GET", "/stats")["connectionsOpen"])
            if state not in ("scheduled", "sending"):
                break
            time.sleep(0.02)
        seconds = time.monotonic() - begin
        p99, writes = writer.finish() if writer else (0, 0)
        stats = self.control.call("GET", "/stats")
        funnel = self.api.call("GET", path + "/funnel")
        if state != "sent" or stats["distinctTokensAccepted"] != expected or stats["shownTwice"]:
            raise RuntimeError(f"{state}: {stats} {funnel}")
        return {
            "rate": stats["accepted"] / seconds, "seconds": seconds, "postMilliseconds": posted * 1000,
            "firstMilliseconds": first * 1000, "rssAnonMiB": memory, "connections": connections, "p99": p99, "writes": writes,
            "cpuMicroseconds": (self.cpu_seconds() - cpu) / stats["accepted"] * 1e6,
            "simulatorMicroseconds": (self.simulator.cpu_seconds() - simulator) / stats["accepted"] * 1e6,
        }


def consents(number):
    """Whether a device with tags agrees to notifications: four of five."""
    return (number // 80) % 5 != 0


def write_devices(path, count, tags=False, first=0):
    """Writes a file of devices.

    With tags each has two: one of sixteen common ones and one of a thousand rare ones; and one in five does not agree to
    notifications. Without, all agree.
    """
    generator = random.Random(7 + first)
    with open(path, "w") as file:
        file.write("token,user,language,country,time_zone,consent_notifications" + (",tags" if tags else "") + "\n")
        for number in range(first, first + count):
            language = LANGUAGES[number % 5]
            consent = "true" if not tags or consents(number) else "false"
            line = f"{generator.getrandbits(256):064x},u{number},{language},{language[-2:]},Asia/Tokyo,{consent}"
            file.write(f"{line},common{number % 16} rare{number % 1000}\n" if tags else line + "\n")


def middle(runs, name, digits=1):
    return round(statistics.median(run[name] for run in runs), digits)


def print_json(values):
    print(json.dumps(values), flush=True)
