"""Runs the example of a TOAST Push back end against a server and a simulated APNs, and checks what it prints."""

import argparse
import json
import os
import subprocess
import sys
import urllib.request

from announcement import admin_key

EXAMPLE = os.path.join(os.path.dirname(__file__), "../../Examples/back-ends/toast-push/notify.py")

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


def call(url, key, method, path, body):
    request = urllib.request.Request(
        url + path, json.dumps(body).encode(), method=method,
        headers={"Authorization": "Bearer " + key, "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def tokens(apns, topic):
    """Tokens of phones that exist at the simulated APNs."""
    body = {"count": 2, "topic": topic}
    request = urllib.request.Request(
        f"http://{apns['host']}:{apns['controlPort']}/tokens", json.dumps(body).encode(), method="POST",
        headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)["tokens"]


def register(url, app_key, token, uid):
    """Registers a token as a shipped app does: without a secret."""
    body = {
        "token": token, "pushType": "APNS", "isNotificationAgreement": True, "isAdAgreement": True,
        "isNightAdAgreement": True, "timezoneId": "Asia/Seoul", "country": "KR", "language": "ko", "uid": uid,
        "deviceId": "device-of-" + uid}
    request = urllib.request.Request(
        f"{url}/push/v2.4/appkeys/{app_key}/tokens", json.dumps(body).encode(),
        headers={"Content-Type": "application/json;charset=UTF-8"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert json.load(answer)["header"]["isSuccessful"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", type=json.loads, required=True)
    parser.add_argument("--apns", type=json.loads, required=True)
    options = parser.parse_args()
    url, key, apns = options.server["url"].removesuffix("/v1"), admin_key(options.server), options.apns
    topic = "com.example.app"
    app = call(url, key, "POST", "/v1/apps", {
        "name": "Example", "bundleID": topic, "identity": "open", "dialect": "toast", "personalMessages": True})
    app = app["app"]["id"]
    with open(apns["keyFile"], encoding="utf-8") as file:
        call(url, key, "PUT", f"/v1/apps/{app}/push-key",
             {"keyID": apns["keyID"], "teamID": apns["teamID"], "privateKey": file.read()})
    keys = call(url, key, "PUT", f"/v1/apps/{app}/vendor-apis/toast", {})
    for index, token in enumerate(tokens(apns, topic)):
        register(url, keys["key"], token, f"u-{index + 1}")
    result = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLE], capture_output=True, text=True, timeout=120,
        env={**os.environ, "PUSH_HOST": url, "PUSH_APP_KEY": keys["key"], "PUSH_SECRET_KEY": keys["secret"]})
    lines = result.stdout.splitlines()
    if result.returncode != 0 or lines != EXPECTED:
        print(result.stdout + result.stderr, file=sys.stderr)
        missing = [line for line in EXPECTED if line not in lines]
        sys.exit(f"The example ended with {result.returncode}; not printed: {missing}")
    print("the TOAST Push back end printed what it should:", len(lines), "lines")


if __name__ == "__main__":
    main()
