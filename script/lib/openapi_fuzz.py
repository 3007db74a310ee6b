"""Prepares a server for the OpenAPI fuzzer, runs it and tells how it ended.

Makes one App, Device and Campaign that exist, so that the fuzzer gets past 404, and tells it the keys.
"""
import argparse
import json
import os
import subprocess
import sys
import urllib.request

from announcement import admin_key

DEVICE = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
DEVICE_SECRET = "s" * 43

# Checks that do not fit, and why:
# - positive_data_acceptance: rules that JSON Schema cannot say (a Campaign's one of three audiences with the App's own
#   key, a link's scheme, a push key that is a key) refuse data that the schema allows.
# - use_after_free, ensure_resource_availability: the fuzzer ends the very App key and Campaign it was given.
EXCLUDED = ["positive_data_acceptance", "use_after_free", "ensure_resource_availability"]


def call(server, method, path, body, **headers):
    request = urllib.request.Request(
        server["url"] + path, json.dumps(body).encode(), {"Content-Type": "application/json", **headers}, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def prepare(server):
    admin = {"Authorization": "Bearer " + admin_key(server)}
    app = call(server, "POST", "/v1/apps", {"name": "Fuzz", "bundleID": "org.example.fuzz", "identity": "open"}, **admin)
    # Nothing listens where the server looks for Apple, so no key goes anywhere.
    key = subprocess.run(
        ["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
        check=True, capture_output=True, text=True).stdout
    call(server, "PUT", f"/v1/apps/{app['app']['id']}/push-key", {
        "keyID": "FUZZKEY001", "teamID": "FUZZTEAM01", "privateKey": key}, **admin)
    device = {"Carillon-App-Key": app["appKey"], "Carillon-Device-Secret": DEVICE_SECRET}
    call(server, "PUT", "/v1/devices/" + DEVICE, {"consent": {"notifications": True}, "user": "u"}, **device)
    call(server, "POST", f"/v1/tags?app={app['app']['id']}", {"name": "fuzz"}, **admin)
    campaign = call(server, "POST", f"/v1/campaigns?app={app['app']['id']}", {
        "audience": {"all": True}, "draft": True,
        "message": {"content": {"default": {"title": "Fuzz"}}},
    }, **admin)
    return app, campaign


def configuration(options, server, app, campaign):
    """The fuzzer's file. JSON texts are TOML texts."""
    text = json.dumps
    excluded = "\n".join(f"[checks.{name}]\nenabled = false\n" for name in EXCLUDED)
    return f"""
seed = {options.seed}
request-timeout = 20
warnings = false

[auth.openapi.apiKey]
bearer = {text(admin_key(server))}

[auth.openapi.appKey]
api_key = {text(app["appKey"])}

[auth.openapi.deviceSecret]
api_key = {text(DEVICE_SECRET)}

[generation]
max-examples = {options.examples}
database = "none"

[phases.stateful]
enabled = false

{excluded}
# A batch of events is taken whatever its events are: those that are not valid are rejected one by one in the answer.
[[operations]]
include-operation-id = "recordEvents"
checks.negative_data_rejection.enabled = false

# The fuzzer feeds back the tickets it was given, which are valid.
[[operations]]
include-operation-id = "streamProgress"
checks.ignored_auth.enabled = false

# Half of the operations' parameters name what exists; the fuzzer makes up the others.
[[operations]]
include-operation-id = ["getCampaign", "sendCampaign", "cancelCampaign", "getFunnel", "getFailureCounts", "listDeliveries", "createProgressTicket"]
parameters = {{ campaign = {text(campaign["id"])} }}

[[operations]]
include-operation-id = ["getApp", "updateApp", "setPushKey"]
parameters = {{ "path.app" = {text(app["app"]["id"])} }}

[[operations]]
include-operation-id = [
    "createTag", "listTags", "createCampaign", "createAudience", "createTemplate", "createWebhook", "createStatisticsID",
    "dryRun", "sendTest", "estimateAudience", "countReach", "getUser", "setUserTags", "updateUserAttributes", "listCategories",
    "defineCategory",
]
parameters = {{ "query.app" = {text(app["app"]["id"])} }}

[[operations]]
include-operation-id = [
    "updateDevice", "getDevice", "registerDevice", "getDeviceTags", "setDeviceTags", "addDeviceTags",
    "removeDeviceTags", "getDeviceAttributes", "updateDeviceAttributes", "registerVoIP", "getVoIP", "removeVoIP", "getInbox", "readInbox",
]
parameters = {{ device = {text(DEVICE)} }}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", type=json.loads, required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--schemathesis", required=True)
    parser.add_argument("--examples", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    options = parser.parse_args()
    server = options.server
    app, campaign = prepare(server)
    path = os.path.join(options.folder, "schemathesis.toml")
    with open(path, "w") as file:
        file.write(configuration(options, server, app, campaign))
    result = subprocess.run(
        [options.schemathesis, "--config-file", path, "run", server["url"] + "/v1/openapi.yaml",
         "--url", server["url"], "--continue-on-failure"],
        cwd=options.folder)
    sys.exit(result.returncode)


if __name__ == "__main__":
    main()
