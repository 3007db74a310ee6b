"""Counts the sender's allocations; script/bench.d/allocations has built what it needs."""

import json
import os
import subprocess

from bench_bars import at_most, judged

client, folder = os.environ["CLIENT"], os.environ["FOLDER"]
notifications = int(os.environ.get("NOTIFICATIONS", "1000000"))


def allocations(port, streams, count):
    command = ["taskset", "-c", "0", client, str(port), f"{folder}/cert.pem", str(streams), str(count)]
    counted = dict(os.environ, LD_PRELOAD=f"{folder}/malloccount.so", MALLOCCOUNT=f"{folder}/count")
    output = subprocess.run(command + [f"{folder}/key.pem"], capture_output=True, text=True, check=True, env=counted)
    assert json.loads(output.stdout)["accepted"] == count, output.stdout
    return int(open(f"{folder}/count").read())


for streams in (100, 1000):
    command = ["taskset", "-c", "1", f"{folder}/fakeapns", f"{folder}/cert.pem", f"{folder}/key.pem", str(streams)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    port = json.loads(server.stdout.readline())["port"]
    short, long = notifications // 5, notifications
    few, many = allocations(port, streams, short), allocations(port, streams, long)
    server.terminate()
    server.wait()
    print(json.dumps(judged({
        "bench": "allocations", "streams": streams, "notifications": long - short, "allocations": many - few,
        "allocationsANotification": round((many - few) / (long - short), 4), "atStart": round(few - (many - few) / 4),
    }, {"allocationsANotification": at_most(1)})), flush=True)
