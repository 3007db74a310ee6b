#!/usr/bin/env python3
"""Many campaigns at once: of APPS Apps CAMPAIGNS send to DEVICES devices each, and all others to one device each.

In the same run and store one campaign to ONE devices goes out alone, before and after. Measured from the first POST to the
last committed outcome; counted at the simulator. The bar is the rate of all together against the one campaign's.
Prints one JSON line.
"""
import argparse
import os
import statistics
import subprocess
import time

from bench_bars import at_least, judged
from bench_world import World, print_json, say, write_devices

MESSAGE = {"content": {"default": {"title": "Breaking news", "body": "The quick brown fox jumps over the lazy dog"}}}


def make_app(world, name):
    secrets = world.api.call("POST", "/v1/apps", {"name": name, "bundleID": "com.example.app", "identity": "open"})
    app = secrets["app"]["id"]
    world.api.call("PUT", f"/v1/apps/{app}/push-key", {
        "keyID": world.simulator.line["keyID"], "teamID": world.simulator.line["teamID"],
        "privateKey": open(world.simulator.line["keyFile"]).read(),
    })
    return app


def import_devices(world, app, count, first):
    path = os.path.join(world.folder, "devices.csv")
    write_devices(path, count, first=first)
    place = ["--database", world.postgres.url] if world.postgres else ["--data", world.data]
    subprocess.run(
        [world.carillon, "import", "devices", path, *place, "--app", app], check=True, stdout=subprocess.DEVNULL)


def send_at_once(world, apps, expected):
    """Sends a campaign of each App, waits for all, and gives rate, seconds, memory and processor time a notification."""
    world.control.call("POST", "/reset")
    cpu = world.cpu_seconds(), world.simulator.cpu_seconds()
    begin = time.monotonic()
    campaigns = [
        world.api.call("POST", f"/v1/campaigns?app={app}", {"audience": {"all": True}, "message": MESSAGE})["id"]
        for app in apps
    ]
    memory = 0
    # The small ones first, one after the other: to ask is not to be what is measured, and the large ones end last.
    for campaign in reversed(campaigns):
        while (state := world.api.call("GET", "/v1/campaigns/" + campaign)["state"]) != "sent":
            if state != "sending":
                raise RuntimeError(f"a campaign is {state}")
            memory = max(memory, world.anonymous_mib())
            time.sleep(0.1)
    seconds = time.monotonic() - begin
    stats = world.control.call("GET", "/stats")
    if stats["distinctTokensAccepted"] != expected or stats["shownTwice"]:
        raise RuntimeError(f"{expected} expected: {stats}")
    each = 1e6 / stats["accepted"]
    return {
        "rate": stats["accepted"] / seconds, "seconds": seconds, "rssAnonMiB": memory,
        "node": (world.cpu_seconds() - cpu[0]) * each,
        "simulator": (world.simulator.cpu_seconds() - cpu[1]) * each,
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carillon", required=True, help="the release build of carillon")
    parser.add_argument("--apps", type=int, default=1_000)
    parser.add_argument("--campaigns", type=int, default=100)
    parser.add_argument("--devices", type=int, default=100_000)
    parser.add_argument("--one", type=int, default=2_000_000, help="devices of the one campaign")
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--nodes", type=int, default=1)
    options = parser.parse_args()
    if not 1 <= options.campaigns <= options.apps:
        parser.error(f"--campaigns must be 1 through --apps ({options.apps})")
    with World(options.carillon, options.store, options.nodes) as world:
        apps = [make_app(world, f"App {number}") for number in range(options.apps)]
        world.stop_nodes()
        import_devices(world, world.app, options.one, first=0)
        first, expected = options.one, 0
        for number, app in enumerate(apps):
            count = options.devices if number < options.campaigns else 1
            import_devices(world, app, count, first)
            first, expected = first + count, expected + count
            if number % 100 == 0:
                say(f"{number} Apps have devices")
        world.start_nodes()
        alone = [send_at_once(world, [world.app], options.one)]
        together = send_at_once(world, apps, expected)
        alone.append(send_at_once(world, [world.app], options.one))
        rate = statistics.mean(run["rate"] for run in alone)
        print_json(judged({
            "bench": "many", "store": options.store, "nodes": options.nodes, "apps": options.apps,
            "campaigns": options.campaigns, "devices": options.devices, "carillon": round(together["rate"]),
            "unit": "notifications/s", "one": round(rate), "share": round(together["rate"] / rate, 3),
            "oneDevices": options.one, "seconds": round(together["seconds"], 1),
            **{name + "MicrosecondsEach": [round(statistics.mean(run[name] for run in alone), 2), round(together[name], 2)]
               for name in ("node", "simulator")},
            "peakRssAnonMiB": round(together["rssAnonMiB"], 1),
        }, {"share": at_least(0.8)}))


main()
