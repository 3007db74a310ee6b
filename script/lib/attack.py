#!/usr/bin/env python3
"""A server with its usual limits under attack: what hostile clients can take from another App.

Starts the simulator of Apple's push service and a server of its own on loopback, both in a temporary folder. Measures one
App's campaign and registrations in peace, then with all attackers of attack_clients.py at work, and judges. Prints a line of
JSON for what each attacker did, for each judgement, and one in the end; ends with 1 when a judgement fails.

The simulator answers as slowly as Apple does, over one connection with a bounded number of streams: the campaign's rate
is then that of the two together and not of the cores, which attackers on the same machine take their part of.
"""
import argparse
import multiprocessing
import os
import random
import resource
import shutil
import statistics
import tempfile
import threading
import time

import attack_clients
from announcement import admin_key
from bench_world import API, Child, print_json, say, write_devices

DEVICES = 20_000
STREAMS, LATENCY = 250, 100
WRITES_PER_SECOND = 50
P99_BAR, RATE_BAR, MEMORY_BAR_MIB = 50, 0.9, 512
CAP = 2_000


def parse():
    parser = argparse.ArgumentParser(prog="script/soak attack")
    parser.add_argument("--carillon", required=True, help="the carillon to attack")
    parser.add_argument("--seconds", type=int, default=180, help="how long the attack takes")
    parser.add_argument("--connections", type=int, default=20_000, help="slow connections of one address")
    return parser.parse_args()


def raise_file_limit(wanted):
    """Gives as many open files as are wanted and allowed; says so when they are fewer."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, wanted))
            return wanted
        except (ValueError, OSError):
            wanted = hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


class Person(threading.Thread):
    """Registers Devices of the victim at a steady rate and takes the times of the answers."""

    def __init__(self, port, app_key):
        super().__init__(daemon=True)
        self.link, self.app_key = attack_clients.connection(port, "127.0.0.20"), app_key
        self.times, self.failures, self.ended = [], 0, threading.Event()

    def run(self):
        generator = random.Random(time.time_ns())
        while not self.ended.wait(1 / WRITES_PER_SECOND):
            body = {"token": "%064x" % generator.getrandbits(256), "consent": {"notifications": False}}
            began = time.monotonic()
            status, _, _ = attack_clients.request(
                self.link, "PUT", "/v1/devices/" + attack_clients.device_id(generator), body,
                attack_clients.phone(self.app_key))
            self.times.append((time.monotonic() - began) * 1_000)
            self.failures += status not in (200, 201)

    def finish(self):
        self.ended.set()
        self.join()
        times = sorted(self.times) or [0]
        return {"registrations": len(times), "failures": self.failures,
                "p50Milliseconds": round(statistics.median(times), 1),
                "p99Milliseconds": round(times[int(len(times) * 0.99)], 1), "longestMilliseconds": round(times[-1], 1)}


class Watch(threading.Thread):
    """Looks at the server's metrics, memory and readiness once a second."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.port, self.ended = server, server.line["port"], threading.Event()
        self.memory, self.connections, self.readiness = [], [], []
        self.link = attack_clients.connection(self.port, "127.0.0.21")

    def metrics(self):
        _, _, text = attack_clients.request(self.link, "GET", "/metrics")
        lines = [line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#")]
        return {name: float(value) for name, value in lines}

    def run(self):
        while not self.ended.wait(1):
            self.memory.append(self.server.anonymous_kib() / 1024)
            status, _, _ = attack_clients.request(self.link, "GET", "/ready")
            self.readiness.append(status)
            self.connections.append(self.metrics().get("carillon_http_connections", 0))

    def finish(self):
        self.ended.set()
        self.join()


class Battlefield:
    def __init__(self, options):
        self.folder = tempfile.mkdtemp(prefix="carillon-attack-")
        self.simulator = Child(None, [
            options.carillon, "simulate", "apns", "--port", "0", "--control-port", "0", "--json", "--record", "0",
            "--streams", str(STREAMS), "--folder", self.folder])
        self.control = API(self.simulator.line["controlPort"])
        self.server = Child(None, [
            options.carillon, "serve", "--json", "--data", os.path.join(self.folder, "data"), "--port", "0",
            "--log-level", "critical", "--access-log", "none", "--apns-connections", "1",
            "--apns-host", f"{self.simulator.line['host']}:{self.simulator.line['port']}",
            "--apns-ca-file", self.simulator.line["caFile"]])
        self.port = self.server.line["port"]
        self.api = API(self.port, admin_key(self.server.line))
        self.victim, self.attacker = self.app("Victim"), self.app("Attacker")
        self.import_devices()
        self.make_things()

    def app(self, name):
        secrets = self.api.call("POST", "/v1/apps", {"name": name, "bundleID": "com.example." + name.lower()})
        app = secrets["app"]["id"]
        self.api.call("PUT", f"/v1/apps/{app}/push-key", {
            "keyID": self.simulator.line["keyID"], "teamID": self.simulator.line["teamID"],
            "privateKey": open(self.simulator.line["keyFile"]).read()})
        key = self.api.call("POST", f"/v1/keys?app={app}", {"name": "all", "scopes": ["read", "send", "admin"]})
        return {"id": app, "appKey": secrets["appKey"], "identitySecret": secrets["identitySecret"], "key": key["secret"],
                "keyID": key["key"]["id"]}

    def import_devices(self):
        path = os.path.join(self.folder, "devices.csv")
        write_devices(path, DEVICES)
        fields = {"Authorization": "Bearer " + self.victim["key"], "Content-Type": "text/csv"}
        status, _, text = attack_clients.request(
            attack_clients.connection(self.port, "127.0.0.20", 300), "POST", "/v1/device-import", open(path).read(), fields)
        if status != 200:
            raise RuntimeError(f"the import failed: {status} {text[:200]}")

    def make_things(self):
        """Things of the victim's that the attacker asks for by their ids, and a Campaign of the attacker's own."""
        api, app = API(self.port, self.victim["key"]), self.victim["id"]
        content = {"default": {"title": "Secret", "body": "For nobody else"}}
        campaign = api.call("POST", f"/v1/campaigns?app={app}", {
            "audience": {"users": ["u1"]}, "message": {"content": content}})
        template = api.call("POST", f"/v1/templates?app={app}", {"name": "mine", "message": {"content": content}})
        audience = api.call("POST", f"/v1/audiences?app={app}", {"name": "mine", "rule": "language = ja"})
        tag = api.call("POST", f"/v1/tags?app={app}", {"name": "mine"})
        user = api.call("GET", f"/v1/users/u1?app={app}")
        occurrence = self.occurrence(api, campaign["id"])
        self.victim["ids"] = {
            "app": app, "campaign": campaign["id"], "occurrence": occurrence, "template": template["id"],
            "audience": audience["id"], "tag": str(tag["id"]), "user": "u1", "key": self.victim["keyID"],
            "device": user["contacts"][0]["device"]}
        own = API(self.port, self.attacker["key"]).call("POST", "/v1/campaigns", {
            "audience": {"users": ["nobody"]}, "message": {"content": content}})
        self.attacker["campaign"] = own["id"]

    @staticmethod
    def occurrence(api, campaign):
        while not (items := api.call("GET", f"/v1/campaigns/{campaign}/occurrences")["items"]):
            time.sleep(0.1)
        return str(items[0].get("id", "x"))

    def send(self):
        """Sends the victim's campaign to its end; gives notifications a second, and what became of them."""
        api = API(self.port, self.victim["key"])
        began = time.monotonic()
        campaign = api.call("POST", f"/v1/campaigns?app={self.victim['id']}", {
            "audience": {"all": True},
            "message": {"content": {"default": {"title": "News", "body": "To all"}}}})
        path = "/v1/campaigns/" + campaign["id"]
        while (state := api.call("GET", path)["state"]) in ("scheduled", "sending"):
            time.sleep(0.1)
        seconds = time.monotonic() - began
        funnel = api.call("GET", path + "/funnel")
        return {"state": state, "accepted": funnel["accepted"], "rate": round(funnel["accepted"] / seconds)}

    def measure(self, seconds):
        """Sends campaigns for so long, one at least, while Devices are registered."""
        person = Person(self.port, self.victim["appKey"])
        person.start()
        campaigns, until = [], time.monotonic() + seconds
        while not campaigns or time.monotonic() < until:
            campaigns.append(self.send())
        return campaigns, person.finish()

    def stop(self):
        for child in (self.server, self.simulator):
            if child.process.poll() is None:
                child.stop()
        shutil.rmtree(self.folder)


def judged(name, is_met, **facts):
    print_json({"judgement": name, "met": bool(is_met), **facts})
    return bool(is_met)


def attack(field, options):
    """Lets all attackers at the server; gives what each counted."""
    results, until = multiprocessing.Queue(), time.time() + options.seconds
    world = {"port": field.port, "victim": field.victim, "attacker": field.attacker, "slow": options.connections}
    processes = [
        multiprocessing.Process(target=attack_clients.run, args=(name, results, world, until), daemon=True)
        for name in attack_clients.ATTACKS]
    for process in processes:
        process.start()
    measured = field.measure(options.seconds)
    counts = {}
    deadline = until + 120
    while len(counts) < len(processes) and time.time() < deadline:
        try:
            count = results.get(timeout=5)
            counts[count["attack"]] = count
        except Exception:
            continue
    for process in processes:
        process.join(5)
        if process.is_alive():
            process.kill()
    return measured, counts


def main():
    options = parse()
    files = raise_file_limit(options.connections + 2_000)
    if files < options.connections + 2_000:
        options.connections = files - 2_000
        say(f"This machine allows {files} open files: {options.connections} slow connections instead of more.")
    field = Battlefield(options)
    try:
        return 0 if campaign_of_attacks(field, options) else 1
    finally:
        field.stop()


def campaign_of_attacks(field, options):
    field.control.call("POST", "/faults", {"latencyMilliseconds": LATENCY})
    say("In peace ...")
    field.send()
    peace, before = field.measure(20)
    say(f"Under attack for {options.seconds} s ...")
    watch = Watch(field.server)
    watch.start()
    (war, during), counts = attack(field, options)
    time.sleep(2)
    watch.finish()
    for name in attack_clients.ATTACKS:
        print_json(counts.get(name, {"attack": name, "error": "gave no result"}))
    return judge(field, options, watch, peace, before, war, during, counts)


def judge(field, options, watch, peace, before, war, during, counts):
    is_alive = field.server.process.poll() is None
    ready = attack_clients.request(attack_clients.connection(field.port, "127.0.0.20"), "GET", "/ready")[0] if is_alive else 0
    after = settled(watch) if is_alive else {}
    rates = [statistics.median(run["rate"] for run in runs) for runs in (peace, war)]
    # A machine that is busy with other work may miss the bar in peace: the attack must not make it worse then.
    bar = max(P99_BAR, before["p99Milliseconds"])
    ended = {reason: after.get('carillon_http_connections_ended_total{reason="%s"}' % reason, 0)
             for reason in ("slow-request", "unread-answer", "rest-too-long", "address")}
    get = lambda name, key, default=0: (counts.get(name) or {}).get(key, default)
    slow = counts.get("slow_connections") or {}
    judgements = [
        judged("attackers", len(counts) == len(attack_clients.ATTACKS) and not any(c["error"] for c in counts.values())),
        judged("alive", is_alive and ready == 200, ready=ready,
               notReady=sum(status != 200 for status in watch.readiness), looks=len(watch.readiness)),
        judged("registrations", during["p99Milliseconds"] <= bar and during["failures"] == 0,
               barMilliseconds=bar, before=before, during=during),
        judged("campaigns", rates[1] >= RATE_BAR * rates[0]
               and all(run["state"] == "sent" and run["accepted"] == DEVICES for run in war),
               bar=RATE_BAR, ratio=round(rates[1] / rates[0], 3), before=[run["rate"] for run in peace],
               during=[run["rate"] for run in war]),
        judged("memory", max(watch.memory) <= MEMORY_BAR_MIB, barMiB=MEMORY_BAR_MIB,
               beforeMiB=round(watch.memory[0]), highestMiB=round(max(watch.memory))),
        judged("connections", slow.get("mostOpen", 0) <= CAP and max(watch.connections) <= CAP + 1_000 and slow.get("opened"),
               cap=CAP, tried=options.connections, mostOpen=slow.get("mostOpen"), mostOfAll=max(watch.connections)),
        judged("slow clients end", options.seconds < 90 or ended["slow-request"] > 0 and ended["unread-answer"] > 0
               and ended["rest-too-long"] > 0, ended=ended, isLongEnough=options.seconds >= 90),
        judged("endless bodies", 0 < get("endless_bodies", "mostBytesOfOne") <= 16 * 1_024 * 1_024,
               mostBytes=get("endless_bodies", "mostBytesOfOne")),
        judged("bogus registrations", get("bogus_registrations", "sent") > 0, sent=get("bogus_registrations", "sent")),
        judged("forged addresses", 0 < get("forged_addresses", "taken") <= get("forged_addresses", "mayBeTaken")
               and not get("forged_addresses", "metricsShown"), taken=get("forged_addresses", "taken"),
               mayBeTaken=get("forged_addresses", "mayBeTaken")),
        judged("labels", get("many_labels", "tooMany") > 0 and get("many_labels", "tooManyTaken") == 0,
               refused=get("many_labels", "tooMany")),
        judged("one proof", 0 < get("one_proof", "taken") <= 100, taken=get("one_proof", "taken"), of=get("one_proof", "sent")),
        judged("other Apps' ids", get("foreign_ids", "requests") > 0 and not get("foreign_ids", "leaks", []),
               operations=get("foreign_ids", "operations"), requests=get("foreign_ids", "requests"),
               leaks=get("foreign_ids", "leaks", [])),
        judged("wrong keys", get("wrong_keys", "byStatus", {}).get(429, 0) > 0
               and set(get("wrong_keys", "byStatus", {})) <= {0, 401, 429}, byStatus=get("wrong_keys", "byStatus", {})),
        judged("nothing leaked", after.get("carillon_http_streams") == 0 and after.get("carillon_http_connections", 99) <= 10
               and after.get("carillon_http_requests_in_flight", 99) <= 1,
               streams=after.get("carillon_http_streams"), connections=after.get("carillon_http_connections"),
               inFlight=after.get("carillon_http_requests_in_flight")),
    ]
    print_json({"soak": "attack", "seconds": options.seconds, "judgements": len(judgements), "failed": judgements.count(False),
                "met": all(judgements)})
    return all(judgements)


def settled(watch):
    """The metrics, when the attackers' connections are gone or half a minute is over."""
    until = time.monotonic() + 30
    while True:
        metrics = watch.metrics()
        if metrics.get("carillon_http_connections", 99) <= 10 or time.monotonic() > until:
            return metrics
        time.sleep(0.5)


if __name__ == "__main__":
    raise SystemExit(main())
