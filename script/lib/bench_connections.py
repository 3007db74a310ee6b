"""Holds many connections to the simulator; script/bench.d/connections has started it."""

import json
import os
import random
import re
import subprocess
import time

import simulated_apns as apns
from bench_bars import at_most, judged

connections = int(os.environ.get("CONNECTIONS", "10000"))
requests = 3 * connections
apns.write_requests(connections, random.Random(1))
empty = apns.rss_anon()
client = subprocess.Popen(apns.h2load(requests, connections, 1), stdout=subprocess.PIPE, text=True)
most, memory = 0, empty
while client.poll() is None:
    stand = apns.stats()["connectionsOpen"]
    most = max(most, stand)
    if stand >= 0.99 * connections:
        memory = max(memory, apns.rss_anon())
    time.sleep(0.05)
output = client.stdout.read()
counted = apns.stats()
assert counted["accepted"] == int(re.search(r"(\d+) 2xx", output)[1]), (counted, output)
assert counted["accepted"] + counted["streamsRefused"] == requests, (counted, output)
print(json.dumps(judged({
    "bench": "connections", "connections": connections, "mostAtOnce": most, "accepted": counted["accepted"],
    "seconds": apns.seconds_of(output), "rssAnonMiB": round(memory, 1), "rssAnonBeforeMiB": round(empty, 1),
    "kiBEach": round((memory - empty) * 1024 / connections, 1),
}, {"rssAnonMiB": at_most(1_024)})))
