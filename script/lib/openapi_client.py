"""Runs the examples of the generated clients against a server and a simulated APNs, and checks what they print."""

import argparse
import json
import os
import subprocess
import sys
import urllib.request

from announcement import admin_key

EXAMPLE = os.path.join(os.path.dirname(__file__), "../../Examples/back-ends/python/newsletter.py")

PYTHON = [
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

TYPESCRIPT = [
    "devices imported: 2",
    "user u-1 { name: 'Ada' } devices 1",
    "user u-2 { name: 'Grace' } devices 1",
    "users: [ 'u-1', 'u-2' ]",
    "problems: [] would reach 2 devices",
    "sent: sent",
    "targeted 2 accepted 2 failed {}",
    "campaigns: [ 'Tonight' ]",
]


def call(url, key, method, path, body):
    request = urllib.request.Request(
        url + path, json.dumps(body).encode(), method=method,
        headers={"Authorization": "Bearer " + key, "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def run(command, expected, environment):
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    lines = result.stdout.splitlines()
    if result.returncode != 0 or lines != expected:
        print(result.stdout + result.stderr, file=sys.stderr)
        missing = [line for line in expected if line not in lines]
        sys.exit(f"{command[0]} ended with {result.returncode}; not printed: {missing}")
    return lines


def refused(command, environment):
    """What the example says of a server that does not take its key."""
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
    if result.returncode == 0 or "401" not in result.stderr:
        sys.exit(f"{command[0]} ended with {result.returncode} where the key is wrong: {result.stdout}{result.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", type=json.loads, required=True)
    parser.add_argument("--apns", type=json.loads, required=True)
    parser.add_argument("--newsletter-js", required=True, help="the example in TypeScript, compiled")
    options = parser.parse_args()
    url, key, apns = options.server["url"].removesuffix("/v1"), admin_key(options.server), options.apns
    with open(apns["keyFile"], encoding="utf-8") as file:
        push_key = {"keyID": apns["keyID"], "teamID": apns["teamID"], "privateKey": file.read()}
    for language, command, expected in (
        ("Python", [sys.executable, "-W", "error", EXAMPLE], PYTHON),
        ("TypeScript", ["node", options.newsletter_js], TYPESCRIPT),
    ):
        app = call(url, key, "POST", "/v1/apps", {"name": language, "bundleID": "com.example.app"})["app"]["id"]
        call(url, key, "PUT", f"/v1/apps/{app}/push-key", push_key)
        environment = {"CARILLON_SERVER": url, "CARILLON_API_KEY": key, "CARILLON_APP": app}
        refused(command, {**environment, "CARILLON_API_KEY": key[:-4] + "0000"})
        lines = run(command, expected, environment)
        print(f"the example of the client in {language} printed what it should:", len(lines), "lines")


if __name__ == "__main__":
    main()
