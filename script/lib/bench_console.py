#!/usr/bin/env python3
"""The console beside a Campaign that is being sent on the same node (K-72, K-74, K-107, K-108).

Prints a line each for the pages while a Campaign is sent, for the rate with and without open streams, for lists and searches,
and for a CSV of all deliveries. The node has core 0, the simulator core 1; browsers and this program use what is left of both.
"""
import argparse
import os
import pathlib
import re
import selectors
import socket
import statistics
import threading
import time

from bench_bars import at_least, at_most, judged
from bench_console_lists import PAGE, PASSWORD, Session, measure, percentile
from bench_world import CONTENT, World, print_json, say, write_devices

STREAMS_OF_SESSION = 6
# A Campaign waits so long for its streams to be opened.
LEAD = 20


class Streams(threading.Thread):
    """Open streams of a page, which are read and counted."""

    def __init__(self, port, path, sessions, count):
        super().__init__(daemon=True)
        self.port, self.path, self.events, self.ended = port, path, 0, threading.Event()
        self.selector = selectors.DefaultSelector()
        self.sockets = []
        for number in range(count):
            # Those of the Campaign before may not have ended yet.
            end = time.monotonic() + LEAD / 2
            status, stream = self.open(sessions[number // STREAMS_OF_SESSION])
            while status == 429 and time.monotonic() < end:
                stream.close()
                time.sleep(0.2)
                status, stream = self.open(sessions[number // STREAMS_OF_SESSION])
            if status != 200:
                raise SystemExit(f"stream {number} of {path} answered {status}")
            self.sockets.append(stream)
            self.selector.register(stream, selectors.EVENT_READ)

    def open(self, session):
        """Opens one; gives its status too."""
        stream = socket.create_connection(("127.0.0.1", self.port))
        cookies = "; ".join(f"{name}={value}" for name, value in session.cookies.items())
        stream.sendall((f"GET {self.path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAccept: text/event-stream\r\n"
                        f"Cookie: {cookies}\r\n\r\n").encode())
        head = stream.recv(4_096)
        return int(head.split()[1]), stream

    def seventh(self, session):
        """The status of one stream more than a session may have."""
        status, stream = self.open(session)
        stream.close()
        return status

    def run(self):
        while not self.ended.is_set():
            for key, _ in self.selector.select(0.5):
                data = key.fileobj.recv(65_536)
                self.events += data.count(b"event: progress")
                if not data:
                    self.selector.unregister(key.fileobj)

    def finish(self):
        self.ended.set()
        self.join()
        for stream in self.sockets:
            stream.close()
        return self.events


class Visitor(threading.Thread):
    """Opens pages one after another, twenty a second, and takes the times."""

    def __init__(self, session, paths):
        super().__init__(daemon=True)
        self.session, self.paths, self.times, self.ended = session, paths, {name: [] for name in paths}, threading.Event()
        self.trouble = None

    def run(self):
        try:
            while True:
                for name, path in self.paths.items():
                    if self.ended.wait(0.05):
                        return
                    begin = time.perf_counter()
                    self.session.ask("GET", path)
                    self.times[name].append(time.perf_counter() - begin)
        except BaseException as problem:
            self.trouble = problem

    def finish(self):
        self.ended.set()
        self.join()
        if self.trouble:
            raise self.trouble
        everything = [one for times in self.times.values() for one in times]
        return len(everything), percentile(everything), {name: percentile(times) for name, times in self.times.items() if times}


def viewers(admin, port, count):
    """Sessions of as many Operators, who need no second factor."""
    sessions = []
    for number in range(count):
        admin.ask("GET", "/console/operators/invite")
        admin.ask("POST", "/console/operators/invite", {"address": f"viewer{number}@example.org", "role": "viewer"})
        link = re.search(r"/console/invite/[\w-]+", admin.page)[0]
        session = Session(port)
        session.ask("GET", link)
        session.ask("POST", link, {"displayName": f"Viewer {number}", "password": PASSWORD})
        sessions.append(session)
    return sessions


def plan(world):
    """Makes a Campaign that begins a moment later; gives its id."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + LEAD))
    return world.api.call("POST", f"/v1/campaigns?app={world.app}", {
        "audience": {"all": True}, "message": {"content": CONTENT, "sound": "default"}, "sendAt": at})["id"]


def accepted(world):
    return world.control.call("GET", "/stats")["accepted"]


def sent(world, campaign, devices):
    """Waits until a planned Campaign is sent; gives notifications a second from the first on."""
    while not accepted(world):
        time.sleep(0.002)
    begin = time.monotonic()
    while accepted(world) < devices:
        if time.monotonic() - begin > 1_800:
            raise SystemExit("the Campaign does not end")
        time.sleep(0.02)
    seconds = time.monotonic() - begin
    while world.api.call("GET", f"/v1/campaigns/{campaign}")["state"] != "sent":
        time.sleep(0.02)
    return devices / seconds


def measure_pages(world, admin, devices):
    """K-107: pages while a Campaign is sent."""
    base = f"/console/apps/{world.app}"
    world.control.call("POST", "/reset")
    campaign = plan(world)
    paths = {
        "home": base, "campaigns": base + "/campaigns", "campaign": f"{base}/campaigns/{campaign}",
        "devices": base + "/devices", "users": base + "/users", "statistics": base + "/statistics",
        "templates": base + "/templates", "system": "/console/system",
    }
    for path in paths.values():
        admin.ask("GET", path)
    while not accepted(world):
        time.sleep(0.002)
    visitor = Visitor(admin, paths)
    visitor.start()
    rate = sent(world, campaign, devices)
    count, p95, pages = visitor.finish()
    print_json(judged({
        "bench": "console-pages", "devices": devices, "pages": count, "p95Milliseconds": p95, "p95OfPages": pages,
        "notificationsPerSecond": round(rate)}, {"p95Milliseconds": at_most(50)}))
    return campaign


def measure_streams(world, sessions, devices, count, pairs):
    """K-108: the rate with and without open streams, in turns."""
    port = world.nodes[0].line["port"]
    rates, events, seventh = {0: [], count: []}, [], 0
    for number in range(pairs):
        for streams in ((0, count) if number % 2 == 0 else (count, 0)):
            world.control.call("POST", "/reset")
            campaign = plan(world)
            reader = Streams(port, f"/console/apps/{world.app}/campaigns/{campaign}/live", sessions, streams)
            if streams >= STREAMS_OF_SESSION:
                seventh = reader.seventh(sessions[0])
            if accepted(world):
                raise SystemExit(f"{streams} streams took longer to open than {LEAD} s, and the Campaign has begun")
            reader.start()
            rates[streams].append(sent(world, campaign, devices))
            if streams:
                events.append(reader.finish())
            else:
                reader.finish()
    ratios = [other / one for one, other in zip(rates[0], rates[count])]
    print_json(judged({
        "bench": "console-streams", "devices": devices, "streams": count, "pairs": pairs,
        "notificationsPerSecond": round(statistics.median(rates[0])),
        "withStreams": round(statistics.median(rates[count])), "share": round(statistics.median(ratios), 4),
        "events": round(statistics.median(events)), "seventhStream": seventh,
    }, {"share": at_least(0.99), "seventhStream": at_least(429)}))


def measure_file(world, admin, campaign, devices):
    """K-74: a CSV of all deliveries, with the node's memory while it is read."""
    port = world.nodes[0].line["port"]
    cookies = "; ".join(f"{name}={value}" for name, value in admin.cookies.items())
    stream = socket.create_connection(("127.0.0.1", port))
    before, peak, rows, size, looked = world.anonymous_mib(), 0, 0, 0, 0
    begin = time.monotonic()
    stream.sendall((f"GET /console/apps/{world.app}/campaigns/{campaign}/export.csv HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                    f"Connection: close\r\nCookie: {cookies}\r\n\r\n").encode())
    head = stream.recv(65_536)
    if b" 200 " not in head.split(b"\r\n")[0]:
        raise SystemExit(f"the CSV answered {head[:200]!r}")
    while True:
        data = stream.recv(1 << 20)
        if not data:
            break
        size += len(data)
        # A chunk of the transfer encoding has its own ends of lines; each row has an id of a Device.
        rows += data.count(b"\n")
        if time.monotonic() - looked > 0.05:
            peak, looked = max(peak, world.anonymous_mib()), time.monotonic()
    seconds = time.monotonic() - begin
    print_json(judged({
        "bench": "console-csv", "devices": devices, "lines": rows, "bytes": size, "seconds": round(seconds, 1),
        "rssAnonMiB": round(peak), "growthMiB": round(max(0, peak - before), 1),
    }, {"growthMiB": at_most(16), "lines": at_least(devices)}))


def measure_lists(world, admin, token, options):
    """K-72: lists and searches."""
    last = min(options.page, options.devices // PAGE)
    found = measure(admin, world.app, token, options.runs, last)
    print_json(judged(
        {"bench": "console-lists", "devices": options.devices, "page": last, **found},
        {name: at_most(100) for name in found}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--carillon", required=True, help="a build of carillon")
    parser.add_argument("--build", help="which one it is; for the script that starts this one")
    parser.add_argument("--devices", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=200, help="of each list and search")
    parser.add_argument("--pairs", type=int, default=5, help="of Campaigns with and without streams")
    parser.add_argument("--streams", type=int, default=200)
    parser.add_argument("--page", type=int, default=1_000)
    options = parser.parse_args()
    with World(options.carillon) as world:
        path = os.path.join(world.folder, "devices.csv")
        say("importing ...")
        write_devices(path, options.devices)
        with open(path, encoding="utf-8") as file:
            file.readline()
            token = file.readline().split(",")[0]
        world.import_stopped(path)
        os.remove(path)
        world.start_nodes()
        line = world.nodes[0].line
        admin = Session(line["port"])
        admin.set_up(pathlib.Path(line["setupLinkFile"]).read_text(encoding="utf-8").strip())
        say("inviting ...")
        sessions = viewers(admin, line["port"], -(-options.streams // STREAMS_OF_SESSION))
        campaign = measure_pages(world, admin, options.devices)
        measure_file(world, admin, campaign, options.devices)
        measure_streams(world, sessions, options.devices, options.streams, options.pairs)
        measure_lists(world, admin, token, options)


if __name__ == "__main__":
    main()
