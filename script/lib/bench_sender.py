"""Measures Carillon's sender against h2load; script/bench.d/sender has built what it needs."""

import base64
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time

from bench_bars import at_least, at_most, judged

client, folder = os.environ["CLIENT"], os.environ["FOLDER"]
notifications = int(os.environ.get("NOTIFICATIONS", "1000000"))
runs = int(os.environ.get("RUNS", "5"))
limits = [int(limit) for limit in os.environ.get("STREAMS", "100 1000").split()]

# The headers and the payload of Benchmarks/Sources/SenderBenchmark; the provider token is as long as a real one.
TOKEN_LENGTH = 86 + 2 + len(base64.urlsafe_b64encode(b'{"alg":"ES256","kid":"ABC123DEFG"}').rstrip(b"=")) + len(
    base64.urlsafe_b64encode(b'{"iss":"DEF123GHIJ","iat":1700000000}').rstrip(b"=")
)
FIELDS = {
    "authorization": "bearer " + "aB3." * (TOKEN_LENGTH // 4) + "x" * (TOKEN_LENGTH % 4),
    "apns-topic": "com.example.app",
    "apns-push-type": "alert",
    "apns-priority": "10",
    "apns-expiration": "0",
    "apns-id": "123e4567-e89b-12d3-a456-426614174000",
}
PAYLOAD_BYTES = 160
# h2load holds all paths in memory and goes round.
PATHS = 100_000


class Server:
    """The server on core 1; `with` starts and stops it."""

    def __init__(self, streams):
        command = ["taskset", "-c", "1", f"{folder}/fakeapns", f"{folder}/cert.pem", f"{folder}/key.pem", str(streams)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["port"]
        self.cpu = 0.0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def count(self):
        """What the connection that ended last had accepted, and the processor time it took."""
        line = json.loads(self.process.stdout.readline())
        spent, self.cpu = line["cpuSeconds"] - self.cpu, line["cpuSeconds"]
        return line["accepted"], line["rejected"], spent


def run_carillon(server, streams):
    command = ["taskset", "-c", "0", client, str(server.port), f"{folder}/cert.pem", str(streams), str(notifications)]
    output = subprocess.run(command + [f"{folder}/key.pem"], capture_output=True, text=True, check=True).stdout
    result = json.loads(output)
    accepted, rejected, server_cpu = server.count()
    assert result["accepted"] == accepted == notifications and rejected == 0, (result, accepted, rejected)
    return result | {"rate": accepted / result["seconds"], "serverCPU": server_cpu}


def h2load_command(port, streams):
    command = ["h2load", "-n", str(notifications), "-c", "1", "-t", "1", "-m", str(streams)]
    command += ["-i", f"{folder}/urls", "-d", f"{folder}/payload"]
    for name, value in FIELDS.items():
        command += ["-H", f"{name}: {value}"]
    return command


def run_h2load(server, streams):
    generator = random.Random(1)
    with open(f"{folder}/urls", "w") as file:
        for _ in range(PATHS):
            file.write(f"https://localhost:{server.port}/3/device/{generator.getrandbits(256):064x}\n")
    before = os.times()
    command = ["taskset", "-c", "0"] + h2load_command(server.port, streams)
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    after = os.times()
    number, unit = re.search(r"finished in ([\d.]+)(ms|s|m),", output).groups()
    seconds = float(number) * {"ms": 0.001, "s": 1, "m": 60}[unit]
    succeeded = int(re.search(r"(\d+) succeeded", output)[1])
    accepted, rejected, server_cpu = server.count()
    assert succeeded == accepted == notifications and rejected == 0, output
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {"rate": accepted / seconds, "cpuSeconds": cpu, "serverCPU": server_cpu}


def median(results, key):
    return statistics.median(result[key] for result in results)


def micros(results, key):
    return round(median(results, key) / notifications * 1e6, 2)


with open(f"{folder}/payload", "w") as file:
    file.write("x" * PAYLOAD_BYTES)

for streams in limits:
    carillon, peer = [], []
    with Server(streams) as server:
        for _ in range(runs):
            # In turns, so that a slow minute of the machine meets both.
            carillon.append(run_carillon(server, streams))
            peer.append(run_h2load(server, streams))
    print(
        json.dumps(judged(
            {
                "bench": "sender",
                "connections": 1,
                "streams": streams,
                "notifications": notifications,
                "payloadBytes": PAYLOAD_BYTES,
                "unit": "notifications/s",
                "carillon": round(median(carillon, "rate")),
                "peer": round(median(peer, "rate")),
                "peerName": "h2load",
                "ratio": round(median(carillon, "rate") / median(peer, "rate"), 3),
                "answered": min(result["accepted"] for result in carillon),
                "peakRssMiB": round(max(result["peakRssMiB"] for result in carillon), 1),
                "clientCPUMicroseconds": micros(carillon, "cpuSeconds"),
                "serverCPUMicroseconds": micros(carillon, "serverCPU"),
                "peerCPUMicroseconds": micros(peer, "cpuSeconds"),
                "peerServerCPUMicroseconds": micros(peer, "serverCPU"),
                "runs": [round(result["rate"]) for result in carillon],
                "peerRuns": [round(result["rate"]) for result in peer],
            },
            {"ratio": at_least(2), "peakRssMiB": at_most(30)},
        )),
        flush=True,
    )
print(" ".join(h2load_command("PORT", "STREAMS")[:12]), file=sys.stderr)
