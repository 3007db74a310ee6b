"""Runs the example of a CORE PUSH back end against a server and a simulated APNs, and checks what it prints."""

import argparse
import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request

from announcement import admin_key

EXAMPLE = os.path.join(os.path.dirname(__file__), "../../Examples/back-ends/core-push/notify.php")

EXPECTED = [
    "to everybody: sent 2, failed 0, 本日19時開演",
    "to users: sent 2",
    "to a region: sent 1",
    "tomorrow's: cancelled",
    "history: 1, the last to all: 本日19時開演",
    "error: iphone_push_request.php: request_data[0].message is required.",
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


def register(url, config_key, token, user, categories):
    """Registers a token as a shipped app does: without a secret."""
    form = urllib.parse.urlencode({
        "config_key": config_key, "device_token": token, "mode": "1", "app_user_id": user, "category_id": categories})
    request = urllib.request.Request(f"{url}/iphone_token_regist.php", form.encode(), method="POST")
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert json.load(answer) == {"status": "0"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", type=json.loads, required=True)
    parser.add_argument("--apns", type=json.loads, required=True)
    options = parser.parse_args()
    url, key, apns = options.server["url"].removesuffix("/v1"), admin_key(options.server), options.apns
    topic = "com.example.app"
    app = call(url, key, "POST", "/v1/apps", {
        "name": "Example", "bundleID": topic, "identity": "open", "dialect": "corepush", "personalMessages": True})
    app = app["app"]["id"]
    with open(apns["keyFile"], encoding="utf-8") as file:
        call(url, key, "PUT", f"/v1/apps/{app}/push-key",
             {"keyID": apns["keyID"], "teamID": apns["teamID"], "privateKey": file.read()})
    keys = call(url, key, "PUT", f"/v1/apps/{app}/vendor-apis/corepush", {})
    for index, (token, region) in enumerate(zip(tokens(apns, topic), ("神奈川", "東京"))):
        register(url, keys["key"], token, f"u-{index + 1}", json.dumps({"1": [region]}))
    base = url.replace("://", f"://corepush:{keys['secret']}@")
    result = subprocess.run(
        ["php", EXAMPLE], capture_output=True, text=True, timeout=120,
        env={**os.environ, "PUSH_BASE": base, "PUSH_CONFIG_KEY": keys["key"]})
    lines = result.stdout.splitlines()
    if result.returncode != 0 or lines != EXPECTED:
        print(result.stdout + result.stderr, file=sys.stderr)
        missing = [line for line in EXPECTED if line not in lines]
        sys.exit(f"The example ended with {result.returncode}; not printed: {missing}")
    print("the CORE PUSH back end printed what it should:", len(lines), "lines")


if __name__ == "__main__":
    main()
