"""Runs the example of a TOAST Push back end against a server and a simulated APNs, and checks what it prints."""

import sys

from example_world import EXAMPLES, World, post, run

EXPECTED = [
    "contacts of u-1: ['TOKEN_APNS']",
    "to the tag: COMPLETE 2",
    "to nobody: CANCEL_NO_TARGET",
    "results: ['SENT', 'SENT']",
    "reserved: RESERVED 2",
    "reservations left: 0",
    "counted: 2",
    "error: 40401 Client Error. Not found. messageId<1>",
]


def register(url, app_key, token, uid):
    """Registers a token as a shipped app does: without a secret."""
    answer = post(f"{url}/push/v2.4/appkeys/{app_key}/tokens", {
        "token": token, "pushType": "APNS", "isNotificationAgreement": True, "isAdAgreement": True,
        "isNightAdAgreement": True, "timezoneId": "Asia/Seoul", "country": "KR", "language": "ko", "uid": uid,
        "deviceId": "device-of-" + uid})
    assert answer["header"]["isSuccessful"]


def main():
    world, _ = World.of_command_line()
    keys = world.app_of_vendor("toast")
    for index, token in enumerate(world.tokens(2)):
        register(world.url, keys["key"], token, f"u-{index + 1}")
    run("the TOAST Push back end", [sys.executable, "-W", "error", EXAMPLES + "/toast-push/notify.py"], EXPECTED,
        {"PUSH_HOST": world.url, "PUSH_APP_KEY": keys["key"], "PUSH_SECRET_KEY": keys["secret"]})


if __name__ == "__main__":
    main()
