"""Hostile clients of the attack: each runs in a process of its own, ends at its time, and gives what it counted.

They talk to 127.0.0.1 alone, from addresses of their own (127.0.0.x), and stand for other machines: they run with a low
priority so that what is measured is the server and not how hungry its attackers are.
"""
import asyncio
import base64
import contextlib
import hashlib
import hmac
import http.client
import json
import os
import random
import re
import time

SERVER = "127.0.0.1"


def connection(port, source, timeout=30):
    return http.client.HTTPConnection(SERVER, port, timeout=timeout, source_address=(source, 0))


def request(link, method, path, body=None, headers=None):
    """Sends a request and gives status, header fields and text; a connection that was closed is made anew.

    The status is 0 when there was no answer in time.
    """
    headers = dict(headers or {})
    if isinstance(body, (dict, list)):
        body = json.dumps(body)
        headers.setdefault("Content-Type", "application/json")
    for _ in (1, 2):
        try:
            link.request(method, path, body, headers)
            answer = link.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode("utf-8", "replace")
        except (http.client.HTTPException, OSError):
            link.close()
    return 0, {}, ""


def device_id(generator):
    return "%08x-%04x-4%03x-8%03x-%012x" % tuple(generator.getrandbits(n) for n in (32, 16, 12, 12, 48))


def phone(app_key):
    return {"Carillon-App-Key": app_key, "Carillon-Device-Secret": "B" * 43}


def run(name, results, world, until):
    """The body of an attacker's process."""
    os.nice(10)
    counts = {"attack": name, "error": None}
    try:
        counts.update(ATTACKS[name](world, until))
    except Exception as error:  # What an attacker dies of is told, and fails the run.
        counts["error"] = f"{type(error).__name__}: {error}"
    results.put(counts)


# Connections


def slow_connections(world, until):
    """20,000 connections that send a byte now and then; closed ones are made again."""
    counts = {"wanted": world["slow"], "opened": 0, "refused": 0, "closedByServer": 0, "mostOpen": 0, "open": 0}

    async def hold(delay):
        await asyncio.sleep(delay)
        while time.time() < until:
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                reader, writer = await asyncio.wait_for(
                    asyncio.open_connection(SERVER, world["port"], local_addr=("127.0.0.2", 0)), 20)
                began, is_held = time.time(), False
                try:
                    writer.write(b"POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                                 b"Carillon-App-Key: " + world["attacker"]["appKey"].encode() +
                                 b"\r\nContent-Length: 65536\r\n\r\n{")
                    while time.time() < until:
                        with contextlib.suppress(asyncio.TimeoutError):
                            if not await asyncio.wait_for(reader.read(4096), random.uniform(5, 15)):
                                break
                        if not is_held:
                            is_held = True
                            counts["opened"] += 1
                            counts["open"] += 1
                            counts["mostOpen"] = max(counts["mostOpen"], counts["open"])
                        writer.write(b" ")
                        await writer.drain()
                finally:
                    if is_held:
                        counts["open"] -= 1
                        counts["closedByServer"] += time.time() < until
                    elif time.time() - began < 5:
                        counts["refused"] += 1
                    writer.close()
            await asyncio.sleep(random.uniform(15, 45))

    async def all_of_them():
        await asyncio.gather(*(hold(number / 1_000) for number in range(world["slow"])))

    asyncio.run(all_of_them())
    return counts


def unread_answers(world, until):
    """Connections that ask for the API's description again and again and read none of it."""
    counts = {"connections": 0, "closedByServer": 0}

    async def hold():
        while time.time() < until:
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                _, writer = await asyncio.open_connection(SERVER, world["port"], local_addr=("127.0.0.3", 0), limit=1)
                counts["connections"] += 1
                try:
                    for _ in range(200):
                        writer.write(b"GET /v1/openapi.yaml HTTP/1.1\r\nHost: a\r\n\r\n")
                    while time.time() < until:
                        await asyncio.sleep(2)
                        writer.write(b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n")
                        await asyncio.wait_for(writer.drain(), 1)
                except ConnectionError:
                    counts["closedByServer"] += 1
                except asyncio.TimeoutError:
                    while time.time() < until and not writer.transport.is_closing():
                        await asyncio.sleep(1)
                    counts["closedByServer"] += writer.transport.is_closing()
                finally:
                    writer.transport.abort()

    async def all_of_them():
        await asyncio.gather(*(hold() for _ in range(200)))

    asyncio.run(all_of_them())
    return counts


def endless_bodies(world, until):
    """Bodies without an end, as fast as they are taken: without a key, with an App key, and as an import."""
    counts = {"requests": 0, "bytes": 0, "mostBytesOfOne": 0, "refused": 0}
    kinds = [
        ("PUT /v1/devices/x", {}), ("POST /v1/campaigns", {}),
        ("POST /v1/events", {"Carillon-App-Key": world["attacker"]["appKey"]}),
        ("PUT /v1/devices/00000000-0000-4000-8000-000000000000", phone(world["attacker"]["appKey"])),
        ("POST /v1/campaigns", {"Authorization": "Bearer " + world["attacker"]["key"]}),
    ]

    async def send(line, fields):
        while time.time() < until:
            sent = 0
            with contextlib.suppress(OSError, asyncio.TimeoutError):
                reader, writer = await asyncio.open_connection(SERVER, world["port"], local_addr=("127.0.0.4", 0))
                head = {"Host": "a", "Content-Type": "application/json", "Transfer-Encoding": "chunked", **fields}
                writer.write((line + " HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in head.items())).encode() + b"\r\n")
                try:
                    while time.time() < until:
                        writer.write(b"4000\r\n" + b" " * 16_384 + b"\r\n")
                        await asyncio.wait_for(writer.drain(), 30)
                        sent += 16_384
                        if reader.at_eof():
                            break
                finally:
                    writer.transport.abort()
            counts["requests"] += 1
            counts["bytes"] += sent
            counts["mostBytesOfOne"] = max(counts["mostBytesOfOne"], sent)
            await asyncio.sleep(0.1)

    async def all_of_them():
        await asyncio.gather(*(send(*kind) for kind in kinds for _ in range(4)))

    asyncio.run(all_of_them())
    return counts


# Registrations


def bogus_registrations(world, until):
    """5,000 registrations with random tokens, and then again and again, as fast as they are answered."""
    generator, link = random.Random(1), connection(world["port"], "127.0.0.5")
    counts = {"sent": 0, "byStatus": {}}
    while time.time() < until:
        body = {"token": "%064x" % generator.getrandbits(256), "consent": {"notifications": True}}
        status, _, _ = request(link, "PUT", "/v1/devices/" + device_id(generator), body, phone(world["attacker"]["appKey"]))
        counts["sent"] += 1
        counts["byStatus"][status] = counts["byStatus"].get(status, 0) + 1
        if counts["sent"] >= 5_000 or status == 429:
            time.sleep(0.02)
    return counts


def forged_addresses(world, until):
    """Registrations that each claim another address, to get round the bound by address."""
    generator, link, began = random.Random(2), connection(world["port"], "127.0.0.6"), time.time()
    counts = {"sent": 0, "taken": 0, "metricsShown": 0}
    while time.time() < until:
        forged = ".".join(str(generator.randrange(1, 255)) for _ in range(4))
        body = {"token": "%064x" % generator.getrandbits(256), "consent": {"notifications": False}}
        fields = {**phone(world["attacker"]["appKey"]), "X-Forwarded-For": forged}
        status, _, _ = request(link, "PUT", "/v1/devices/" + device_id(generator), body, fields)
        counts["sent"] += 1
        counts["taken"] += status in (200, 201)
        if counts["sent"] % 100 == 0:
            shown, _, _ = request(link, "GET", "/metrics", headers={"X-Forwarded-For": "127.0.0.1"})
            counts["metricsShown"] += shown == 200
        time.sleep(0.002)
    counts["mayBeTaken"] = round(1_000 + 100 * (time.time() - began)) + 1
    return counts


def many_labels(world, until):
    """A device with 2,000 labels, and devices with 100 new ones each, until the App has as many as it may."""
    generator, link = random.Random(3), connection(world["port"], "127.0.0.7")
    counts = {"tooMany": 0, "tooManyTaken": 0, "hundreds": {}}
    while time.time() < until:
        for size, name in ((2_000, "tooMany"), (100, "hundreds")):
            per = size // 20
            labels = {f"d{n}": [f"l{generator.getrandbits(40)}" for _ in range(per)] for n in range(20)}
            body = {"token": "%064x" % generator.getrandbits(256), "consent": {"notifications": False}, "categories": labels}
            status, _, _ = request(link, "PUT", "/v1/devices/" + device_id(generator), body, phone(world["attacker"]["appKey"]))
            if name == "tooMany":
                counts["tooMany"] += 1
                counts["tooManyTaken"] += status in (200, 201)
            else:
                counts["hundreds"][status] = counts["hundreds"].get(status, 0) + 1
        time.sleep(0.05)
    return counts


def one_proof(world, until):
    """One user's proof on 1,000 Devices."""
    generator, link = random.Random(4), connection(world["port"], "127.0.0.8")
    app, user, expires = world["attacker"]["id"], "member", int(time.time()) + 3_600
    secret = world["attacker"]["identitySecret"].encode()
    mac = hmac.new(secret, f"{app}\n{user}\n{expires}".encode(), hashlib.sha256).digest()
    proof = {"expires": expires, "signature": base64.urlsafe_b64encode(mac).decode().rstrip("=")}
    counts = {"sent": 0, "taken": 0, "byStatus": {}}
    while counts["sent"] < 1_000 and time.time() < until:
        body = {"token": "%064x" % generator.getrandbits(256), "consent": {"notifications": False},
                "user": user, "userProof": proof}
        status, _, _ = request(link, "PUT", "/v1/devices/" + device_id(generator), body, phone(world["attacker"]["appKey"]))
        if status == 429:
            time.sleep(0.05)
            continue
        counts["sent"] += 1
        counts["taken"] += status in (200, 201)
        counts["byStatus"][status] = counts["byStatus"].get(status, 0) + 1
    return counts


# The API


def operations(description):
    """Methods and paths of the description, read line by line: it is our own file, and its form is checked elsewhere."""
    found, path = [], None
    for line in description.splitlines():
        if match := re.match(r"  (/\S*):$", line):
            path = match[1]
        elif line and not line.startswith(" "):
            path = None
        elif path and (match := re.match(r"    (get|put|post|patch|delete):$", line)):
            found.append((match[1].upper(), path))
    return found


def foreign_ids(world, until):
    """Every route with another App's ids, by an API key that may do everything in its own App."""
    link = connection(world["port"], "127.0.0.9")
    victim, key = world["victim"], {"Authorization": "Bearer " + world["attacker"]["key"]}
    ids = victim["ids"]
    counts = {"operations": 0, "requests": 0, "byStatus": {}, "leaks": []}
    description = ""
    while "paths:" not in description and time.time() < until:
        _, _, description = request(link, "GET", "/v1/openapi.yaml")
    routes = [route for route in operations(description) if route[1] not in ("/health", "/ready", "/metrics", "/v1/openapi.yaml")]
    counts["operations"] = len(routes)
    secrets = [victim["id"], victim["appKey"], *ids.values()]
    while time.time() < until:
        for method, path in routes:
            named = re.sub(r"\{(\w+)\}", lambda part: ids.get(part[1], victim["id"] if part[1] == "app" else "x"), path)
            for query in ("", "?app=" + victim["id"]):
                body = {} if method in ("POST", "PUT", "PATCH") else None
                if path == "/v1/device-import":
                    body, fields = "token\n" + "ab" * 32 + "\n", {**key, "Content-Type": "text/csv"}
                else:
                    fields = key
                status, _, text = request(link, method, named + query, body, fields)
                counts["requests"] += 1
                counts["byStatus"][status] = counts["byStatus"].get(status, 0) + 1
                # The attacker's own audit log has the ids that it tried.
                told = [] if path == "/v1/audit" else secrets
                is_foreign = "{" in path or query
                # Of a user whom only the other App knows there is nothing in the caller's own.
                is_empty = is_foreign and status == 200 and ('"items":[]' in text or text.endswith('{"attributes":{}}'))
                if status >= 500 or (status < 300 and not is_empty and (
                        ("{" in path) or any(secret in text for secret in told) or (query and method != "GET"))):
                    counts["leaks"].append(f"{method} {path}{query and '?app='}: {status}")
                time.sleep(0.005)
        counts["leaks"] = sorted(set(counts["leaks"]))
        time.sleep(5)
    return counts


def head_on_streams(world, until):
    """HEAD on a stream, with and without a ticket: each would hold a stream for ever if it opened one."""
    link, key = connection(world["port"], "127.0.0.10"), {"Authorization": "Bearer " + world["attacker"]["key"]}
    counts = {"sent": 0, "byStatus": {}}
    path = f"/v1/campaigns/{world['attacker']['campaign']}/progress"
    while time.time() < until and counts["sent"] < 2_000:
        made, _, text = request(link, "POST", path + "-ticket", headers=key)
        ticket = json.loads(text).get("ticket", "") if made == 201 else ""
        status, _, _ = request(link, "HEAD", path + "?ticket=" + ticket)
        counts["sent"] += 1
        counts["byStatus"][status] = counts["byStatus"].get(status, 0) + 1
        time.sleep(0.02)
    return counts


def wrong_keys(world, until):
    """API keys and App keys that are none, each another one."""
    generator, link = random.Random(5), connection(world["port"], "127.0.0.11")
    counts = {"sent": 0, "byStatus": {}}
    while time.time() < until:
        key = "%032x" % generator.getrandbits(128)
        fields = {"Authorization": "Bearer ck_" + key} if counts["sent"] % 2 else {"Carillon-App-Key": "ak_" + key}
        status, _, _ = request(link, "GET" if counts["sent"] % 2 else "POST",
                               "/v1/apps" if counts["sent"] % 2 else "/v1/events", None, fields)
        counts["sent"] += 1
        counts["byStatus"][status] = counts["byStatus"].get(status, 0) + 1
        time.sleep(0.002)
    return counts


ATTACKS = {attack.__name__: attack for attack in (
    slow_connections, unread_answers, endless_bodies, bogus_registrations, forged_addresses, many_labels, one_proof,
    foreign_ids, head_on_streams, wrong_keys)}
