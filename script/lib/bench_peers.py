"""Measures Carillon's sender and aioapns against one simulator; script/bench.d/peers has started it."""

import json
import os
import statistics
import subprocess
import sys

import simulated_apns as apns

RUNS, OURS, THEIRS = 5, 300_000, 20_000


def rate(count, command):
    apns.reset()
    output = subprocess.run(["taskset", "-c", "0", *command], capture_output=True, text=True, check=True).stdout
    result = json.loads(output)
    assert apns.stats()["accepted"] == result["accepted"] == count, (result, apns.stats())
    return count / result["seconds"]


def carillon():
    command = [os.environ["CLIENT"], str(apns.place["port"]), apns.place["caFile"], "1000", str(OURS)]
    return rate(OURS, [*command, f"{apns.folder}/key.pem", "4"])


def aioapns():
    command = [sys.executable, "script/lib/bench_peers_client.py", str(apns.place["port"]), apns.place["caFile"]]
    return rate(THEIRS, [*command, apns.place["keyFile"], apns.place["keyID"], apns.place["teamID"], str(THEIRS)])


pairs = [(carillon(), aioapns()) for _ in range(RUNS)]
mine, peer = (statistics.median(column) for column in zip(*pairs))
print(json.dumps({
    "bench": "peers", "connections": 4, "unit": "notifications/s", "carillon": round(mine), "peer": round(peer),
    "peerName": "aioapns", "ratio": round(mine / peer, 1), "runs": [[round(a), round(b)] for a, b in pairs],
}))
