#!/usr/bin/env python3
"""The campaign benchmark: one campaign to all devices, on SQLite or PostgreSQL, with one node or several.

Imports DEVICES device tokens, then sends one campaign to all of them, RUNS times. Measured from the POST to the last
committed outcome; counted at the simulator. While it runs, a client registers devices and takes the times of its
answers. On SQLite the server has one core and the simulator the other. Prints one JSON line.
"""
import argparse
import os

from bench_world import World, middle, print_json, write_devices


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carillon", required=True, help="the release build of carillon")
    parser.add_argument("--devices", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--writes-per-second", type=int, default=50, help="API writes while the campaign runs")
    options = parser.parse_args()
    with World(options.carillon, options.store, options.nodes) as world:
        path = os.path.join(world.folder, "devices.csv")
        write_devices(path, options.devices)
        import_seconds = world.import_stopped(path)
        world.start_nodes()
        runs = [world.send({"all": True}, options.devices, options.writes_per_second) for _ in range(options.runs)]
        print_json({
            "bench": "campaign", "store": options.store, "nodes": options.nodes, "devices": options.devices,
            "runs": options.runs, "carillon": round(middle(runs, "rate")), "unit": "notifications/s",
            "lowest": round(min(run["rate"] for run in runs)), "highest": round(max(run["rate"] for run in runs)),
            "seconds": middle(runs, "seconds"), "serverMicrosecondsEach": middle(runs, "cpuMicroseconds"),
            "peakRssAnonMiB": round(max(run["rssAnonMiB"] for run in runs), 1),
            "sqliteCacheMiB": world.nodes[0].line.get("cacheMiB"), "apiWrites": sum(run["writes"] for run in runs),
            "apiWriteP99Milliseconds": middle(runs, "p99"),
            "importedPerSecond": round(options.devices / import_seconds),
        })


main()
