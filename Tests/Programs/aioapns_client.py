"""Sends notifications with aioapns and prints, as JSON, what its answers were.

    aioapns_client.py PLAN

PLAN is JSON: {"port", "ca", "topic", and either "key", "keyID", "teamID" or "certificate",
               "tokens": [device token ...], "times": how often each, "laterBy": [seconds ...]}

With "laterBy" all is sent once for each entry, with the client's clock that many seconds ahead: its own rule then makes
it sign a new provider token.
"""
import asyncio
import collections
import json
import logging
import ssl
import sys
import time
import types

import aioapns.connection
from aioapns import APNs, NotificationRequest, PushType

logging.disable(logging.CRITICAL)


def client(plan):
    # Where Apple's hosts are is a constant of the library's; nothing else of it is touched.
    aioapns.connection.APNsProductionClientProtocol.APNS_SERVER = "localhost"
    aioapns.connection.APNsTLSClientProtocol.APNS_PORT = plan["port"]
    context = ssl.create_default_context(cafile=plan["ca"])
    context.set_alpn_protocols(["h2"])
    shared = {"topic": plan["topic"], "max_connections": 1, "ssl_context": context}
    if "certificate" in plan:
        return APNs(client_cert=plan["certificate"], **shared)
    with open(plan["key"]) as file:
        return APNs(key=file.read(), key_id=plan["keyID"], team_id=plan["teamID"], **shared)


async def send(apns, token, number):
    answer = await apns.send_notification(
        NotificationRequest(
            device_token=token,
            message={"aps": {"alert": f"Hello {number}"}},
            push_type=PushType.ALERT,
        )
    )
    return [answer.status, answer.description, answer.timestamp]


async def main():
    plan = json.loads(sys.argv[1])
    apns = client(plan)
    gate = asyncio.Semaphore(200)

    async def one(token, number):
        async with gate:
            return await send(apns, token, number)

    for later in plan.get("laterBy", [0]):
        aioapns.connection.time = types.SimpleNamespace(time=lambda: time.time() + later)
        # The library does not notice that a connection begins with one stream, so one request goes first.
        answers = [await one(plan["tokens"][0], 0)]
        rest = [(token, number) for number in range(plan.get("times", 1)) for token in plan["tokens"]][1:]
        answers += await asyncio.gather(*(one(token, number) for token, number in rest))
        counted = collections.Counter(json.dumps(answer) for answer in answers)
        print(json.dumps({text: counted[text] for text in sorted(counted)}), flush=True)
    apns.pool.close()
    await asyncio.sleep(0)


asyncio.run(main())
