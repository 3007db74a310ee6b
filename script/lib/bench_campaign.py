#!/usr/bin/env python3
"""The campaign benchmark: one campaign to all devices, on SQLite or PostgreSQL, with one node or several.

Imports DEVICES device tokens, then sends one campaign to all of them, RUNS times. Measured from the POST to the last
committed outcome; counted at the simulator, which answers each notification after LATENCY milliseconds. While it runs, a
client registers devices and takes the times of its answers. On SQLite the server has one core and the simulator the
other. Prints one JSON line for each latency.
"""
import argparse
import os

from bench_world import World, middle, print_json, write_devices

# Notifications a second that one node must reach, by store and latency.
BARS = {("sqlite", 0): 200_000, ("postgres", 0): 100_000, ("sqlite", 40): 150_000, ("sqlite", 150): 100_000}
MEMORY_BAR_MIB = 100


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carillon", required=True, help="the release build of carillon")
    parser.add_argument("--devices", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--latency", type=int, nargs="+", default=[0], help="milliseconds from a request to its answer")
    parser.add_argument("--writes-per-second", type=int, default=50, help="API writes while the campaign runs")
    parser.add_argument("--connections", type=int, help="apns.connections")
    parser.add_argument("--unanswered", type=int, help="dispatcher.unanswered")
    return parser.parse_args()


def main():
    options = parse()
    settings = {"--apns-connections": options.connections, "--unanswered": options.unanswered}
    flags = [str(part) for flag, value in settings.items() if value for part in (flag, value)]
    with World(options.carillon, options.store, options.nodes, serve_options=flags) as world:
        path = os.path.join(world.folder, "devices.csv")
        write_devices(path, options.devices)
        import_seconds = world.import_stopped(path)
        world.start_nodes()
        for latency in options.latency:
            measure(options, world, latency, import_seconds)


def measure(options, world, latency, import_seconds):
    runs = [
        world.send({"all": True}, options.devices, options.writes_per_second, latency) for _ in range(options.runs)
    ]
    rate, memory = round(middle(runs, "rate")), max(run["rssAnonMiB"] for run in runs)
    bar = BARS.get((options.store, latency))
    print_json({
        "bench": "campaign", "store": options.store, "nodes": options.nodes, "devices": options.devices,
        "latencyMilliseconds": latency, "runs": options.runs, "carillon": rate, "unit": "notifications/s",
        **({"bar": bar, "barMiB": MEMORY_BAR_MIB, "met": rate >= bar and memory <= MEMORY_BAR_MIB} if bar else {}),
        "lowest": round(min(run["rate"] for run in runs)), "highest": round(max(run["rate"] for run in runs)),
        "seconds": middle(runs, "seconds"), "serverMicrosecondsEach": middle(runs, "cpuMicroseconds"),
        "simulatorMicrosecondsEach": middle(runs, "simulatorMicroseconds"),
        "peakRssAnonMiB": round(memory, 1), "connections": middle(runs, "connections"),
        "sqliteCacheMiB": world.nodes[0].line.get("cacheMiB"), "apiWrites": sum(run["writes"] for run in runs),
        "apiWriteP99Milliseconds": middle(runs, "p99"),
        "importedPerSecond": round(options.devices / import_seconds),
    })


main()
