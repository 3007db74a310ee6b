"""What the programs that run an example of a back end share: a server, a simulated APNs and an App."""

import argparse
import json
import os
import subprocess
import sys
import urllib.request

from announcement import admin_key

TOPIC = "com.example.app"
EXAMPLES = os.path.join(os.path.dirname(__file__), "../../Examples/back-ends")


class World:
    """A server and a simulated APNs, by the lines with which they announce themselves."""

    def __init__(self, server, apns):
        self.url, self.key, self.apns = server["url"].removesuffix("/v1"), admin_key(server), apns

    @classmethod
    def of_command_line(cls, parser=None):
        """The world of `--server` and `--apns`, and all options."""
        parser = parser or argparse.ArgumentParser()
        parser.add_argument("--server", type=json.loads, required=True)
        parser.add_argument("--apns", type=json.loads, required=True)
        options = parser.parse_args()
        return cls(options.server, options.apns), options

    def call(self, method, path, body):
        """Calls V1 with the first API key."""
        return post(self.url + path, body, method, {"Authorization": "Bearer " + self.key})

    def app(self, name, **settings):
        """A new App with the simulated APNs' push key."""
        app = self.call("POST", "/v1/apps", {"name": name, "bundleID": TOPIC, **settings})["app"]["id"]
        with open(self.apns["keyFile"], encoding="utf-8") as file:
            self.call("PUT", f"/v1/apps/{app}/push-key", {
                "keyID": self.apns["keyID"], "teamID": self.apns["teamID"], "privateKey": file.read()})
        return app

    def app_of_vendor(self, api):
        """A new App whose phones and back end use a vendor API; the API's key and secret."""
        app = self.app("Example", identity="open", dialect=api, personalMessages=True)
        return self.call("PUT", f"/v1/apps/{app}/vendor-apis/{api}", {})

    def tokens(self, count):
        """Tokens of phones that exist at the simulated APNs."""
        url = f"http://{self.apns['host']}:{self.apns['controlPort']}/tokens"
        return post(url, {"count": count, "topic": TOPIC})["tokens"]


def post(url, body, method="POST", headers=None):
    """Sends JSON and returns the answer's."""
    request = urllib.request.Request(
        url, json.dumps(body).encode(), method=method,
        headers={"Content-Type": "application/json;charset=UTF-8", **(headers or {})})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def execute(command, environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})


def run(name, command, expected, environment):
    """Runs an example, which has to print what is expected, line by line."""
    result = execute(command, environment)
    lines = result.stdout.splitlines()
    if result.returncode != 0 or lines != expected:
        print(result.stdout + result.stderr, file=sys.stderr)
        missing = [line for line in expected if line not in lines]
        sys.exit(f"{name} ended with {result.returncode}; not printed: {missing}")
    print(f"{name} printed what it should:", len(lines), "lines")
