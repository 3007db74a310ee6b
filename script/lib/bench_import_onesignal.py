#!/usr/bin/env python3
"""The benchmark of `carillon import onesignal`: an export with users and tags into an empty store that serves nobody.

Says how many rows a second it takes, its highest resident memory, and how long ten million rows take at that rate.
Prints one JSON line.
"""
import argparse
import os
import random
import subprocess
import time

from bench_bars import at_most, judged
from bench_world import LANGUAGES, World, print_json

HEADER = ("id,identifier,session_count,language,timezone,game_version,device_os,device_type,device_model,ad_id,tags,"
          "last_active,playtime,amount_spent,created_at,invalid_identifier,external_user_id,country,notification_types,"
          "timezone_id\n")


def write_export(path, count, tag_count):
    """An export as OneSignal writes it: one row in a hundred is an Android phone's, one in fifty a token that came before."""
    generator = random.Random(7)
    plans = ["free", "gold", "silver"]
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEADER)
        token = ""
        for number in range(count):
            if number % 50 or not token:
                token = "%064x" % generator.getrandbits(256)
            tags = ",".join(
                [f'""plan"":""{plans[number % 3]}""', f'""level"":""{number % 40}""', f'""points"":{number % 1000}'][:tag_count])
            kind, address = ("1", "f:A" + token) if number % 100 == 99 else ("0", token)
            user = "%012x" % generator.getrandbits(48)
            seen = f"2026-{1 + number % 9:02}-{1 + number % 28:02} 10:00:00 UTC"
            file.write(
                f'00000000-0000-4000-8000-{number:012x},{address},{number % 90},{LANGUAGES[number % 5][:2]},32400,2.1,17.4,'
                f'{kind},"iPhone15,3",,"{{{tags}}}",{seen},0,0,2025-01-01 00:00:00 UTC,f,{user},JP,31,Asia/Tokyo\n')


def highest_memory(process):
    """The highest resident memory of a process in MiB, which the kernel tells when it has ended."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"the import ended with {process.returncode}")
    return usage.ru_maxrss // 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carillon", required=True, help="the release build of carillon")
    parser.add_argument("--devices", type=int, default=1_000_000)
    parser.add_argument("--tags", type=int, default=2, help="0 through 3 tags a row")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    options = parser.parse_args()
    with World(options.carillon, options.store, pinned=False) as world:
        path = os.path.join(world.folder, "export.csv")
        write_export(path, options.devices, options.tags)
        world.stop_nodes()
        store = ["--database", world.postgres.url] if world.postgres else ["--data", world.data]
        begin = time.monotonic()
        process = subprocess.Popen(
            [options.carillon, "import", "onesignal", path, "--environment", "production", "--app", world.app, *store],
            stdout=subprocess.DEVNULL)
        memory = highest_memory(process)
        seconds = time.monotonic() - begin
        print_json(judged({
            "bench": "import-onesignal", "store": options.store, "rows": options.devices, "tags": options.tags,
            "seconds": round(seconds, 1), "carillon": round(options.devices / seconds), "unit": "rows/s",
            "tenMillionSeconds": round(seconds * 10_000_000 / options.devices), "megabytes": memory,
        }, {"tenMillionSeconds": at_most(180), "megabytes": at_most(600)}))


main()
