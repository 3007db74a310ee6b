"""Measures Carillon's sender over long ways; script/bench.d/latency has built what it needs."""

import json
import os
import statistics
import subprocess

from bench_bars import at_least, judged

client, folder = os.environ["CLIENT"], os.environ["FOLDER"]
runs = int(os.environ.get("RUNS", "3"))
seconds = float(os.environ.get("SECONDS_A_RUN", "6"))
PAYLOAD_BYTES = 160
WINDOW = 65_535


class Program:
    """A program that prints its port; `with` ends it."""

    def __init__(self, *command):
        self.process = subprocess.Popen(["taskset", "-c", "1", *command], stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def run(port, streams, connections, notifications):
    command = ["taskset", "-c", "0", client, str(port), f"{folder}/cert.pem", str(streams), str(notifications)]
    command += [f"{folder}/key.pem", str(connections)]
    result = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert result["accepted"] == notifications, result
    return result


def rate(port, streams, connections, expected):
    """Notifications a second once all connections stand: the slope between a short and a long run."""
    long = max(round(expected * seconds), 10_000 * connections)
    short = long // 2
    first, second = (run(port, streams, connections, count)["seconds"] for count in (short, long))
    return (long - short) / (second - first)


def round_trip(port):
    """Seconds from one notification to the next when only one is on its way: the delay, and what it takes to send."""
    first, second = (run(port, 1, 1, count)["seconds"] for count in (50, 150))
    return (second - first) / 100


for milliseconds in map(int, os.environ.get("MILLISECONDS", "5 40 100").split()):
    for streams in (100, 1000):
        for connections in (1, 4):
            in_flight = min(streams, WINDOW // PAYLOAD_BYTES)
            expected = in_flight / (milliseconds / 1000) * connections
            if expected > 100_000:
                continue  # there the processor is the limit, not the way
            with Program(f"{folder}/fakeapns", f"{folder}/cert.pem", f"{folder}/key.pem", str(streams)) as server:
                with Program(f"{folder}/delayline", str(server.port), str(milliseconds)) as way:
                    trip = round_trip(way.port)
                    rates = [rate(way.port, streams, connections, expected) for _ in range(runs)]
            measured = statistics.median(rates)
            limit = in_flight / trip * connections
            print(
                json.dumps(judged(
                    {
                        "bench": "latency", "delayMilliseconds": milliseconds,
                        "roundTripMilliseconds": round(trip * 1000, 2), "streams": streams,
                        "connections": connections, "inFlightAtMost": in_flight * connections,
                        "limit": round(limit), "carillon": round(measured), "unit": "notifications/s",
                        "ratio": round(measured / limit, 3), "runs": [round(one) for one in rates],
                    },
                    {"ratio": at_least(0.9)},
                )),
                flush=True,
            )
