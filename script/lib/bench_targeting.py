#!/usr/bin/env python3
"""The targeting benchmark: a campaign to one in a hundred devices, picked by tag, language and consent.

Imports DEVICES devices with two tags each, then sends RUNS campaigns to those with one tag, a language and consent.
Measured from the POST: to the first notification that the simulator took, and to the last committed outcome. Prints one
JSON line.
"""
import argparse
import os

from bench_bars import at_least, at_most, judged
from bench_world import World, consents, middle, print_json, say, write_devices


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carillon", required=True, help="the release build of carillon")
    parser.add_argument("--devices", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    options = parser.parse_args()
    with World(options.carillon, options.store) as world:
        path = os.path.join(world.folder, "devices.csv")
        say("writing the file ...")
        write_devices(path, options.devices, tags=True)
        say("importing ...")
        import_seconds = world.import_stopped(path)
        os.remove(path)
        world.start_nodes()
        agreed = sum(consents(number) for number in range(400)) * options.devices // 400
        expected = sum(
            number % 16 == 3 and number % 5 == 2 and consents(number) for number in range(400)) * options.devices // 400
        rule = 'tag:"common3" and language = ko and consent.notifications'
        runs = [world.send({"rule": rule}, expected) for _ in range(options.runs)]
        everybody = [world.send({"all": True}, agreed)]
        print_json(judged({
            "bench": "targeting", "store": options.store, "devices": options.devices, "picked": expected,
            "runs": options.runs, "carillon": round(middle(runs, "rate")), "unit": "notifications/s",
            "firstNotificationMilliseconds": middle(runs, "firstMilliseconds"),
            "postMilliseconds": middle(runs, "postMilliseconds"),
            "peakRssAnonMiB": round(max(run["rssAnonMiB"] for run in runs), 1),
            "serverMicrosecondsEach": middle(runs, "cpuMicroseconds"),
            "apiWriteP99Milliseconds": middle(runs, "p99"),
            "toEverybodyPerSecond": round(middle(everybody, "rate")),
            "toEverybodyPeakRssAnonMiB": round(max(run["rssAnonMiB"] for run in everybody), 1),
            "importedPerSecond": round(options.devices / import_seconds),
        }, {
            "carillon": at_least(80_000 if options.store == "sqlite" else 60_000),
            "firstNotificationMilliseconds": at_most(200), "peakRssAnonMiB": at_most(200),
        }))


main()
