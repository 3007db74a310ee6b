#!/usr/bin/env python3
"""The retention benchmark: old rows go while phones report events.

Campaigns are sent, so that there are real receipts. Then the store gets ROWS deliveries and ROWS events that are 200 days
old, of one App, in Occurrences of a million each; on PostgreSQL in the default partition, so that they go row by row and
not with their weeks. The server starts; a minute later retention begins. Meanwhile events with real receipts come in at
RATE a second in batches, each of which is timed, and the server's metrics say how many steps there were and how long they
took. The cost of a step is compared between the first and the last fifth of each kind's steps. At the end the rows are
counted in the database.
"""
import argparse
import json
import os
import queue
import sqlite3
import threading
import time
import urllib.request

from bench_bars import at_most, judged
from bench_world import API, World, print_json, say, write_devices

SUBJECTS = ["deliveries", "events"]
OCCURRENCE_ROWS = 1_000_000
DAY = 86_400_000
EPOCH = 1_577_836_800_000
KINDS = ["received", "opened", "dismissed"]


def fill(world, rows):
    """Writes the old rows into the store, which nobody serves."""
    first = (int(time.time() * 1000) - 200 * DAY - EPOCH) << 18
    statements = [
        "INSERT INTO deliveries (app_id, occurrence_id, device_number, push_type, outcome, reason, at) "
        "SELECT {app}, {occurrence}, i, 1, 1, 0, 0 FROM {series}",
        "INSERT INTO events (app_id, occurrence_id, device_number, kind, action, occurred_at) "
        "SELECT {app}, {occurrence}, i, 1, '', 0 FROM {series}",
    ]
    if world.postgres:
        app = world.postgres.query("SELECT id FROM apps")
        for number, start in enumerate(range(0, rows, OCCURRENCE_ROWS)):
            count = min(OCCURRENCE_ROWS, rows - start)
            for statement in statements:
                world.postgres.query(statement.format(
                    app=app, occurrence=first + number, series=f"generate_series(1, {count}) AS i"))
        world.postgres.query("VACUUM ANALYZE deliveries, events")
        return
    connection = sqlite3.connect(os.path.join(world.data, "carillon.sqlite"))
    connection.execute("PRAGMA synchronous = OFF")
    app = connection.execute("SELECT id FROM apps").fetchone()[0]
    for number, start in enumerate(range(0, rows, OCCURRENCE_ROWS)):
        count = min(OCCURRENCE_ROWS, rows - start)
        series = f"(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) SELECT i FROM n)"
        for statement in statements:
            connection.execute(statement.format(app=app, occurrence=first + number, series=series))
        connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def old_rows(world):
    """How many of the old rows are left."""
    last = (int(time.time() * 1000) - 100 * DAY - EPOCH) << 18
    sql = (f"SELECT (SELECT count(*) FROM deliveries WHERE occurrence_id < {last}) + "
           f"(SELECT count(*) FROM events WHERE occurrence_id < {last})")
    if world.postgres:
        return int(world.postgres.query(sql))
    connection = sqlite3.connect(f"file:{world.data}/carillon.sqlite?mode=ro", uri=True)
    try:
        return connection.execute(sql).fetchone()[0]
    finally:
        connection.close()


def receipts(world):
    """Sends a campaign to all devices; occurrence and receipt of each push, from the simulator's record."""
    world.control.call("POST", "/reset")
    campaign = world.api.call("POST", f"/v1/campaigns?app={world.app}", {
        "audience": {"all": True}, "message": {"content": {"default": {"title": "Bench"}}}})
    end = time.monotonic() + 300
    while world.api.call("GET", "/v1/campaigns/" + campaign["id"])["state"] != "sent":
        if time.monotonic() > end:
            raise RuntimeError("the campaign that makes receipts was not sent within five minutes")
        time.sleep(0.2)
    requests = world.control.call("GET", "/requests?limit=100000")
    return [(body["o"], body["r"]) for body in (json.loads(request["body"])["carillon"] for request in requests)]


class Reporter:
    """Reports events at a steady rate from some threads and takes the times of the answers."""

    def __init__(self, world, rate, batch):
        self.world, self.rate, self.batch = world, rate, batch
        self.bodies, self.times, self.failures, self.late = queue.Queue(), [], [], 0
        self.ended, self.reported = threading.Event(), 0
        self.threads = [threading.Thread(target=self.report, daemon=True) for _ in range(8)]

    def feed(self, pushes):
        at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
        for kind in KINDS:
            for start in range(0, len(pushes) - self.batch + 1, self.batch):
                self.bodies.put([
                    {"occurrence": occurrence, "receipt": receipt, "kind": kind, "at": at}
                    for occurrence, receipt in pushes[start:start + self.batch]])

    def start(self):
        self.began, self.turn, self.lock = time.monotonic(), 0, threading.Lock()
        for thread in self.threads:
            thread.start()

    def report(self):
        api = API(self.world.nodes[0].line["port"])
        while not self.ended.is_set():
            with self.lock:
                due = self.began + self.turn * self.batch / self.rate
                self.turn += 1
            if self.ended.wait(max(0, due - time.monotonic())):
                return
            try:
                events = self.bodies.get_nowait()
            except queue.Empty:
                self.failures.append("no events are left to report: take more --campaigns")
                return
            begin = time.monotonic()
            try:
                answer = api.call("POST", "/v1/events", {"events": events}, {"Carillon-App-Key": self.world.app_key})
            except (OSError, RuntimeError) as error:
                self.failures.append(str(error))
                return
            # A batch that could not begin in time waited behind others: that is part of its time.
            self.times.append((time.monotonic() - min(begin, due + 0.02)) * 1000)
            self.reported += len(events) - len(answer.get("rejected", []))

    def finish(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()
        if self.failures:
            raise RuntimeError(self.failures[0])
        return time.monotonic() - self.began


def steps(world):
    """Steps and seconds of each kind until now, from the server's metrics."""
    with urllib.request.urlopen(f"http://127.0.0.1:{world.nodes[0].line['port']}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    found = {subject: [0, 0.0] for subject in SUBJECTS}
    for line in lines:
        for subject in SUBJECTS:
            for place, name in enumerate(["steps_total", "step_seconds_total"]):
                if line.startswith(f'carillon_retention_{name}{{subject="{subject}"}}'):
                    found[subject][place] = float(line.rsplit(" ", 1)[1])
    failed = sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith("carillon_retention_failures_total{"))
    return found, failed


def cost(samples, subject):
    """Milliseconds a step in the first and in the last fifth of a kind's steps."""
    points = [sample[subject] for sample in samples]
    total = points[-1][0]
    if total < 50:
        raise RuntimeError(f"{subject} took {total:.0f} steps: take more --rows")

    def at(share):
        return next(point for point in points if point[0] >= total * share)

    def between(low, high):
        return (high[1] - low[1]) / (high[0] - low[0]) * 1000

    return between(points[0], at(0.2)), between(at(0.8), points[-1])


def percentile(times, share):
    times = sorted(times)
    return times[min(len(times) - 1, int(len(times) * share))]


def measure(world, options):
    path = os.path.join(world.folder, "devices.csv")
    write_devices(path, options.devices)
    world.import_stopped(path)
    world.start_nodes()
    reporter = Reporter(world, options.rate, options.batch)
    for _ in range(options.campaigns):
        reporter.feed(receipts(world))
    world.stop_nodes()
    say(f"{options.rows} old rows of each kind ...")
    fill(world, options.rows)
    # A server begins with retention a minute after its start, so that the first steps are seen.
    world.start_nodes()
    say("events come in ...")
    reporter.start()
    samples, end = [], time.monotonic() + options.limit
    while True:
        found, failed = steps(world)
        samples.append(found)
        if reporter.failures or failed:
            raise RuntimeError(reporter.failures[0] if reporter.failures else "a step of retention failed")
        if time.monotonic() > end:
            raise RuntimeError(f"{old_rows(world)} old rows are left after {options.limit} seconds: {found}")
        # A step has a thousand rows.
        if all(found[subject][0] >= options.rows / 1000 - options.rows / OCCURRENCE_ROWS - 2 for subject in SUBJECTS):
            if old_rows(world) == 0:
                break
        time.sleep(0.5)
    seconds = reporter.finish()
    costs = {subject: cost(samples, subject) for subject in SUBJECTS}
    changes = [abs(last / first - 1) for first, last in costs.values()]
    return judged({
        "bench": "retention", "store": options.store, "rowsOfEach": options.rows, "seconds": round(seconds),
        "eventsPerSecond": round(reporter.reported / seconds), "wantedEventsPerSecond": options.rate,
        "missingRate": round(max(0, 1 - reporter.reported / seconds / options.rate), 4),
        "p50Milliseconds": round(percentile(reporter.times, 0.5), 2),
        "p99Milliseconds": round(percentile(reporter.times, 0.99), 2),
        "stepMilliseconds": {
            subject: {"first": round(first, 2), "last": round(last, 2)} for subject, (first, last) in costs.items()},
        "stepCostChange": round(max(changes), 3), "rssAnonMiB": round(world.anonymous_mib()),
    }, {"p99Milliseconds": at_most(50), "stepCostChange": at_most(0.2), "missingRate": at_most(0.05)})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carillon", required=True, help="a release build of carillon")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="postgres")
    parser.add_argument("--rows", type=int, default=10_000_000, help="old deliveries, and as many old events")
    parser.add_argument("--rate", type=int, default=5_000, help="events a second")
    parser.add_argument("--batch", type=int, default=50, help="events in a request")
    parser.add_argument("--devices", type=int, default=100_000, help="at most 100,000")
    parser.add_argument("--campaigns", type=int, default=20, help="each gives three events a device")
    parser.add_argument("--limit", type=int, default=3_600, help="seconds until it is given up")
    options = parser.parse_args()
    with World(options.carillon, options.store, record=100_000) as world:
        print_json(measure(world, options))


main()
