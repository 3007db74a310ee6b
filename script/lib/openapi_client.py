"""Runs the example of the generated Python client against a server and a simulated APNs, and checks what it prints."""

import argparse
import json
import os
import subprocess
import sys
import urllib.request

from announcement import admin_key

EXAMPLE = os.path.join(os.path.dirname(__file__), "../../Examples/back-ends/python/newsletter.py")

EXPECTED = [
    "devices imported: 2",
    "attributes of u-1 {'name': 'Ada'}",
    "attributes of u-2 {'name': 'Grace'}",
    "users: ['u-1', 'u-2']",
    "devices: 2",
    "would reach 2 devices",
    "sent: sent",
    "targeted 2 accepted 2 failed {}",
    "campaigns: ['Tonight']",
]


def call(url, key, method, path, body):
    request = urllib.request.Request(
        url + path, json.dumps(body).encode(), method=method,
        headers={"Authorization": "Bearer " + key, "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", type=json.loads, required=True)
    parser.add_argument("--apns", type=json.loads, required=True)
    options = parser.parse_args()
    url, key, apns = options.server["url"].removesuffix("/v1"), admin_key(options.server), options.apns
    app = call(url, key, "POST", "/v1/apps", {"name": "Example", "bundleID": "com.example.app"})["app"]["id"]
    with open(apns["keyFile"], encoding="utf-8") as file:
        call(url, key, "PUT", f"/v1/apps/{app}/push-key",
             {"keyID": apns["keyID"], "teamID": apns["teamID"], "privateKey": file.read()})
    result = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLE], capture_output=True, text=True, timeout=120,
        env={**os.environ, "CARILLON_SERVER": url, "CARILLON_API_KEY": key, "CARILLON_APP": app})
    lines = result.stdout.splitlines()
    if result.returncode != 0 or lines != EXPECTED:
        print(result.stdout + result.stderr, file=sys.stderr)
        missing = [line for line in EXPECTED if line not in lines]
        sys.exit(f"The example ended with {result.returncode}; not printed: {missing}")
    print("the generated client's example printed what it should:", len(lines), "lines")


if __name__ == "__main__":
    main()
