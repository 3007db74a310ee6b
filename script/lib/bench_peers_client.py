"""Sends with aioapns as fast as it can: PORT CA-FILE KEY-FILE KEY-ID TEAM-ID NOTIFICATIONS; prints one JSON line."""

import asyncio
import json
import logging
import random
import ssl
import sys
import time

import aioapns.connection
from aioapns import APNs, NotificationRequest, PushType

AT_ONCE = 1_000
logging.disable(logging.CRITICAL)


async def main():
    port, ca, key, key_id, team, count = sys.argv[1:]
    # Where Apple's hosts are is a constant of the library's; nothing else of it is touched.
    aioapns.connection.APNsProductionClientProtocol.APNS_SERVER = "localhost"
    aioapns.connection.APNsTLSClientProtocol.APNS_PORT = int(port)
    context = ssl.create_default_context(cafile=ca)
    context.set_alpn_protocols(["h2"])
    client = APNs(
        key=open(key).read(), key_id=key_id, team_id=team, topic="com.example.app", max_connections=4,
        ssl_context=context,
    )
    generator = random.Random(1)
    tokens = iter([f"{generator.getrandbits(256):064x}" for _ in range(int(count))])
    message = {"aps": {"alert": {"title": "Sale!", "body": "Half price until Sunday."}, "sound": "default"}}
    accepted = 0

    async def work():
        nonlocal accepted
        for token in tokens:
            request = NotificationRequest(device_token=token, message=message, push_type=PushType.ALERT)
            answer = await client.send_notification(request)
            accepted += answer.is_successful

    start = time.monotonic()
    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    print(json.dumps({"accepted": accepted, "seconds": time.monotonic() - start}))


asyncio.run(main())
