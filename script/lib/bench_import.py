#!/usr/bin/env python3
"""The import benchmark: devices with two tags each into an empty store, and into one that serves.

First `carillon import` into a store that serves nobody, RUNS times into a new one. Then DEVICES more over the API of the
last one, while a client registers devices and takes the times of its answers; nothing is sent, so that the server has
both cores. Then DEVICES more by `carillon import devices --server`. Says how many bytes a device takes on the disk with its tags and all indexes. Prints one JSON line.
"""
import argparse
import http.client
import os
import statistics
import subprocess
import time

from bench_bars import at_least, at_most, judged
from bench_world import World, Writer, print_json, write_devices


def disk_bytes(world):
    """What the store takes: the file without its log, or tables with their indexes."""
    if world.postgres:
        world.postgres.query("VACUUM")
        return int(world.postgres.query("SELECT pg_database_size('carillon')"))
    return os.path.getsize(os.path.join(world.data, "carillon.sqlite"))


def import_serving(world, path):
    """Sends a file to the API; gives the seconds until it is answered."""
    connection = http.client.HTTPConnection("127.0.0.1", world.nodes[0].line["port"], timeout=600)
    begin = time.monotonic()
    with open(path, "rb") as file:
        connection.request("POST", f"/v1/device-import?app={world.app}", file, {
            "Authorization": "Bearer " + world.key, "Content-Type": "text/csv",
            "Content-Length": str(os.path.getsize(path))})
        answer = connection.getresponse()
        text = answer.read()
    if answer.status >= 300:
        raise RuntimeError(f"{answer.status} {text[:300]!r}")
    return time.monotonic() - begin


def import_by_command(world, path):
    """Sends a file to the API by the command; gives the seconds that it takes, its start included."""
    begin = time.monotonic()
    subprocess.run(
        [world.carillon, "import", "devices", path, "--server", f"http://127.0.0.1:{world.nodes[0].line['port']}",
         "--app", world.app],
        check=True, stdout=subprocess.DEVNULL, env={**os.environ, "CARILLON_API_KEY": world.key})
    return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carillon", required=True, help="the release build of carillon")
    parser.add_argument("--devices", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    options = parser.parse_args()
    stopped, serving, command, p99s, each = [], [], [], [], []
    for _ in range(options.runs):
        with World(options.carillon, options.store, pinned=False) as world:
            path = os.path.join(world.folder, "devices.csv")
            write_devices(path, options.devices, tags=True)
            world.stop_nodes()
            before = disk_bytes(world)
            stopped.append(options.devices / world.import_stopped(path))
            each.append((disk_bytes(world) - before) / options.devices)
            write_devices(path, options.devices, tags=True, first=options.devices)
            world.start_nodes()
            writer = Writer(world.nodes[0].line["port"], world.app_key, 50)
            writer.start()
            serving.append(options.devices / import_serving(world, path))
            p99s.append(writer.finish()[0])
            write_devices(path, options.devices, tags=True, first=2 * options.devices)
            command.append(options.devices / import_by_command(world, path))
    is_file = options.store == "sqlite"
    print_json(judged({
        "bench": "import", "store": options.store, "devices": options.devices, "runs": options.runs,
        "carillon": round(statistics.median(stopped)), "unit": "devices/s", "lowest": round(min(stopped)),
        "highest": round(max(stopped)), "whileServing": round(statistics.median(serving)),
        "byCommand": round(statistics.median(command)),
        "apiWriteP99Milliseconds": round(statistics.median(p99s), 1), "bytesEach": round(statistics.median(each)),
    }, {
        "carillon": at_least(100_000 if is_file else 70_000), "whileServing": at_least(40_000),
        "byCommand": at_least(30_000),
        "apiWriteP99Milliseconds": at_most(50), "bytesEach": at_most(320 if is_file else 560),
    }))


main()
