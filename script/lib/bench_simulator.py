"""Measures the simulator with h2load; script/bench.d/simulator has started it."""

import json
import os
import random
import re
import statistics
import subprocess

import simulated_apns as apns
from bench_bars import at_least, judged

requests, tokens = int(os.environ.get("REQUESTS", "500000")), 100_000
apns.write_requests(tokens, random.Random(1))

for connections, streams in [(1, 1000), (1, 100), (8, 100), (8, 1000)]:
    rates, cpu = [], []
    for _ in range(5):
        apns.reset()
        before = apns.cpu_seconds()
        command = apns.h2load(requests, connections, streams)
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        spent = apns.cpu_seconds() - before
        counted = apns.stats()
        accepted = int(re.search(r"(\d+) 2xx", output)[1])
        # h2load opens streams before it has read that only one is allowed; those are refused, as Apple does.
        assert counted["accepted"] == accepted and counted["rejected"] == 0, counted
        assert accepted + counted["streamsRefused"] == requests, counted
        assert counted["streamsRefused"] < connections * streams, counted
        rates.append(accepted / apns.seconds_of(output))
        cpu.append(spent / accepted * 1e6)
    print(json.dumps(judged({
        "bench": "simulator", "connections": connections, "streams": streams, "requests": requests,
        "distinctTokens": tokens, "payloadBytes": len(apns.PAYLOAD), "carillon": round(statistics.median(rates)),
        "unit": "requests/s", "runs": [round(rate) for rate in rates],
        "serverCPUMicroseconds": round(statistics.median(cpu), 2), "serverRssAnonMiB": round(apns.rss_anon(), 1),
    }, {"carillon": at_least(150_000)})), flush=True)
