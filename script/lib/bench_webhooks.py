"""The benchmark of webhooks: how many events a second one receiver is told that answers at once.

The events wait in the database before the server starts, so that what is measured is telling alone: claiming, looking
up, writing, signing, posting and settling. The receiver counts the items of the bodies it reads; nothing that the server
says of itself is used. Beside it are receivers that take connections and never answer.
"""
import argparse
import asyncio
import json
import multiprocessing
import os
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

from announcement import admin_key
from bench_bars import at_least, judged
from server_limits import UNLIMITED

BAR = 10_000
START = 1_700_000_000_000


class Receiver(asyncio.Protocol):
    """Reads posts, counts their items and answers 204; on `/hang` it never answers."""

    counts = None

    def connection_made(self, transport):
        self.transport, self.buffer = transport, b""

    def data_received(self, data):
        self.buffer += data
        while True:
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            head = self.buffer[:end].lower()
            length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
            if len(self.buffer) < end + 4 + length:
                return
            body, self.buffer = self.buffer[end + 4:end + 4 + length], self.buffer[end + 4 + length:]
            if head.startswith(b"post /hang"):
                Receiver.counts[2] += 1
                continue
            # The body is sorted: each item has its type once. Reading it as JSON would measure Python.
            Receiver.counts[0] += body.count(b'"type":"event.opened"')
            Receiver.counts[1] += 1
            self.transport.write(b"HTTP/1.1 204 No Content\r\n\r\n")


def receive(listener, counts):
    os.sched_setaffinity(0, {os.cpu_count() - 1})
    Receiver.counts = counts

    async def serve():
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Receiver, sock=listener)
        await server.serve_forever()

    asyncio.run(serve())


def call(url, key, method, path, body):
    request = urllib.request.Request(
        url + path, json.dumps(body).encode(),
        {"Content-Type": "application/json", "Authorization": "Bearer " + key}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def start(options, folder):
    log = open(os.path.join(folder, "serve.log"), "a")
    process = subprocess.Popen(
        ["taskset", "-c", "0", options.carillon, "serve", "--json", "--data", os.path.join(folder, "data"),
         "--port", "0", "--webhooks-allow-local", *UNLIMITED],
        stdout=subprocess.PIPE, stderr=log, text=True)
    line = process.stdout.readline()
    if not line:
        process.wait(10)
        sys.exit("The server did not start; see " + log.name)
    return process, json.loads(line)


def stop(process):
    process.terminate()
    process.wait(60)


def fill(path, count, hanging):
    connection = sqlite3.connect(path)
    hooks = connection.execute("SELECT app_id, id, url FROM webhooks ORDER BY id").fetchall()
    with connection:
        for app, hook, url in hooks:
            rows = 1 if url.endswith("/hang") else count
            connection.executemany(
                "INSERT INTO events (app_id, occurrence_id, device_number, kind, action, occurred_at) "
                "VALUES (?, 1, ?, ?, '', ?)",
                ((app, n, 2, START + n) for n in range(1, rows + 1)))
            connection.executemany(
                "INSERT INTO webhook_outbox (app_id, webhook_id, at, id, kind, count, occurrence_id, devices, event_kind, "
                "action) VALUES (?, ?, ?, ?, 2, 1, 1, ?, 2, '')",
                ((app, hook, START + n, n, varint(n)) for n in range(1, rows + 1)))
    connection.close()
    return len(hooks)


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def run(options):
    folder = tempfile.mkdtemp(prefix="carillon-bench-", dir=options.directory)
    listener = socket.create_server(("127.0.0.1", 0), backlog=1_024)
    port = listener.getsockname()[1]
    counts = multiprocessing.Array("q", 3, lock=False)
    receiver = multiprocessing.Process(target=receive, args=(listener, counts), daemon=True)
    receiver.start()
    process, line = start(options, folder)
    try:
        url, key = line["url"], admin_key(line)
        for index in range(options.hanging + 1):
            app = call(url, key, "POST", "/v1/apps", {"name": "Bench", "bundleID": "com.example.app"})["app"]["id"]
            path = "/hang" if index else "/hook"
            call(url, key, "POST", f"/v1/webhooks?app={app}",
                 {"url": f"http://127.0.0.1:{port}{path}", "topics": ["event.opened"]})
        stop(process)
        fill(os.path.join(folder, "data", "carillon.sqlite"), options.events, options.hanging)
        process, line = start(options, folder)
        deadline = time.monotonic() + 600
        while counts[0] == 0 and time.monotonic() < deadline:
            time.sleep(0.001)
        first, begun = counts[0], time.monotonic()
        while counts[0] < options.events and time.monotonic() < deadline:
            time.sleep(0.005)
        seconds = time.monotonic() - begun
        with open(f"/proc/{process.pid}/status") as status:
            anonymous = next(int(line.split()[1]) / 1024 for line in status if line.startswith("RssAnon"))
        if counts[0] != options.events:
            sys.exit(f"The receiver was told {counts[0]} of {options.events} events.")
        return {"eventsPerSecond": (counts[0] - first) / seconds, "messages": counts[1], "hanging": counts[2],
                "rssAnonMiB": round(anonymous, 1)}
    finally:
        stop(process)
        receiver.terminate()
        listener.close()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carillon", required=True)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--hanging", type=int, default=8, help="Receivers of other Apps that never answer.")
    parser.add_argument("--directory")
    options = parser.parse_args()
    runs = [run(options) for _ in range(options.runs)]
    rate = round(statistics.median(one["eventsPerSecond"] for one in runs))
    line = {"benchmark": "webhooks", "events": options.events, "eventsPerSecond": rate,
            "runs": [round(one["eventsPerSecond"]) for one in runs], "messages": runs[-1]["messages"],
            "hangingReceivers": runs[-1]["hanging"], "rssAnonMiB": runs[-1]["rssAnonMiB"]}
    print(json.dumps(judged(line, {"eventsPerSecond": at_least(BAR)})))


main()
