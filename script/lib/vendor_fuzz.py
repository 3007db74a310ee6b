"""Runs the OpenAPI fuzzer against the calls of vendors: TOAST Push's, CORE PUSH's and COIMOTION's, each by its own description.

Makes an App that has all three APIs on, with a token, a tag and a message that exist. Hooks of the fuzzer put the App's keys
into calls, and JSON in base64 into `request_data`; they check what status 200 does not say.
"""
import argparse
import base64
import json
import os
import subprocess
import sys
import urllib.parse
import urllib.request
from datetime import datetime, timedelta, timezone

from coimotion_example import CODE, KEY, fill
from openapi_fuzz import call, prepare
from announcement import admin_key

TOKEN = "aa" * 32
KEYS = {"toast": ("fuzzappkey000001", "fuzzSecret1"), "corepush": ("0123456789abcdef" * 2, "fuzzSecret2")}

# Checks that do not fit, and why:
# - positive_data_acceptance: as in openapi_fuzz.py.
# - negative_data_rejection, ignored_auth, unsupported_method, missing_required_header: every answer has status 200, as the
#   vendors' have; the hooks look at the outcome that the body has.
# - use_after_free, ensure_resource_availability: the fuzzer deletes the tag that it was given.
EXCLUDED = ["positive_data_acceptance", "negative_data_rejection", "ignored_auth", "unsupported_method",
            "missing_required_header", "use_after_free", "ensure_resource_availability"]

HOOKS = '''
import base64, json, os, random
import schemathesis
from schemathesis.core.failures import Failure

FACTS = json.loads(os.environ["VENDOR_FUZZ"])
ITEMS = FACTS["items"]


def mostly(values):
    """Puts what exists in the place of most made-up values; the same ones for the same input."""
    chance = random.Random(repr(sorted(values.items(), key=str)))
    for name, known in FACTS["known"].items():
        if name in values and chance.random() < 0.7:
            values[name] = known
    return chance


def mostly_id(path, path_parameters):
    """Puts an id that the operation knows in the place of most made-up ones."""
    known = FACTS["ids"].get(path.split("/")[-2])
    if known and random.Random(repr(path_parameters)).random() < 0.7:
        path_parameters["id"] = known


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    if path_parameters:
        mostly(path_parameters)
        if "appkey" in path_parameters:
            path_parameters["appkey"] = FACTS["key"]
        if "appcode" in path_parameters:
            path_parameters["appcode"] = FACTS["code"]
            mostly_id(context.operation.path, path_parameters)
    return path_parameters


@schemathesis.hook
def map_query(context, query):
    if query:
        mostly(query)
    return query


@schemathesis.hook
def map_body(context, body):
    """The App's config key, and mostly JSON in base64 that is nearly an array of items."""
    if not isinstance(body, dict):
        return body
    chance = mostly(body)
    if "config_key" in body:
        body["config_key"] = FACTS["key"]
    if isinstance(body.get("request_data"), str):
        if chance.random() < 0.9:
            items = [dict(chance.choice(ITEMS)) for _ in range(chance.choice([0, 1, 1, 1, 2, 3]))]
            for item in items:
                if chance.random() < 0.3:
                    item[chance.choice(list(item) + ["badge", "url", "mode"])] = chance.choice(
                        [None, "", 0, -1, 1.5, True, [], {}, "x" * 3000, "9999999999", "\\u0000", "{{user}}", "日本"])
            body["request_data"] = base64.b64encode(json.dumps(items).encode()).decode()
    return body


@schemathesis.check
def outcome_is_the_callers(ctx, response, case):
    """No outcome is an error of the server's own, and a call that needs the secret never succeeds without it."""
    if response.headers.get("content-type", [""])[0] != "application/json":
        return
    body = json.loads(response.content)
    header = body.get("header", {})
    succeeded = header.get("isSuccessful", body.get("status") == "0" or body.get("errCode") == 0)
    operation = case.operation.definition.raw["operationId"]
    with open(FACTS["outcomes"], "a") as file:
        file.write(f"{operation} {int(succeeded)}\\n")
    if body.get("errCode") == -100 or header.get("resultCode", 0) >= 50000 or body.get("message", "") == "The server failed. Try again later.":
        raise Failure(operation=case.operation.label, title="An error of the server's own", message=json.dumps(body)[:500])
    if succeeded and operation in FACTS["keyed"]:
        sent = {name.lower() for name in response.request.headers}
        if not sent & {"x-secret-key", "x-secret-access-key", "authorization"}:
            raise Failure(operation=case.operation.label, title="It succeeded without the secret", message=json.dumps(body)[:500])
'''

ITEMS = [
    {"app_user_id": "9999999999", "message": "Hi"},
    {"app_user_id": "u", "message": "Hi", "title": "T", "custom_key": {"a": [1, None]}},
    {"app_user_id": 17, "message": "開演は7時です", "url": "https://example.com/?a=1", "badge": 1, "sound": "a.caf"},
    {"app_user_id": "v", "message": "Hi", "url": "page=1", "category": "c", "CoreResearch": "1"},
    {"device_token": TOKEN, "mode": "1", "category_id": ["1", "2"], "app_user_id": "w"},
    {"device_token": TOKEN.upper(), "category_id": {"1": ["A", "B"]}, "latitude": "35.6", "longitude": "139.7"},
]


def keyed_operations(path):
    """The ids of operations that need a secret: those whose `security` does not begin with `{}`, read by their lines."""
    keyed, operation = [], None
    for line in open(path):
        if line.startswith("      operationId: "):
            operation = line.split(": ")[1].strip()
            keyed.append(operation)
        if operation and (line.startswith("        - {}") or line.startswith("      security: []")):
            keyed.remove(operation)
            operation = None
    return keyed


def configuration(options, credentials):
    text = json.dumps
    excluded = "\n".join(f"[checks.{name}]\nenabled = false\n" for name in EXCLUDED)
    return f"""
seed = {options.seed}
request-timeout = 20
warnings = false
hooks = {text(os.path.join(options.folder, "vendor_hooks.py"))}

{credentials}

[generation]
max-examples = {options.examples}
database = "none"

[phases.stateful]
enabled = false

{excluded}
"""


def toast(options, server, app, admin):
    """The configuration for TOAST Push's calls."""
    key, secret = KEYS["toast"]
    base, headers = f"/push/v2.4/appkeys/{key}", {"X-Secret-Key": secret}
    call(server, "POST", base + "/tokens", {
        "token": TOKEN, "pushType": "APNS", "isNotificationAgreement": True, "isAdAgreement": True,
        "isNightAdAgreement": True, "timezoneId": "Asia/Seoul", "country": "KR", "language": "ko", "uid": "u",
        "deviceId": "d"})
    tag = call(server, "POST", base + "/tags", {"tagName": "vendor"}, **headers)["tag"]["tagId"]
    content = {"default": {"title": "T", "body": "B"}}
    body = {"target": {"type": "ALL"}, "messageType": "NOTIFICATION", "content": content}
    message = call(server, "POST", base + "/messages", body, **headers)["message"]["messageIdString"]
    credentials = f"""
[auth.openapi.secretKey]
api_key = {json.dumps(secret)}

[auth.openapi.secretAccessKey]
api_key = {json.dumps(secret)}
"""
    reservation = call(server, "POST", base + "/reservations", {
        **body, "schedules": [day(1) + "T09:00"], "isLocalTime": False}, **headers)["reservation"]["reservationIdString"]
    known = {
        "token": TOKEN, "tag": tag, "user": "u", "message": message, "reservation": reservation, "uid": "u",
        "messageId": message, "reservationIds": reservation, "tagIds": [tag], "uids": ["u"], "pushType": "APNS",
        "offsetUid": "u", "cursorUid": "u", "cursorToken": TOKEN, "statsIds": "", "extra1s": "APNS",
        "from": day(-3) + "T09:00:00.000+09:00", "to": day(0) + "T00:00+09:00", "timezoneId": "Asia/Seoul",
        "country": "KR", "language": "ko", "deviceId": "d", "oldToken": TOKEN, "statsId": None,
        "target": {"type": "TAG", "to": [tag, "OR", tag], "countries": ["KR"]}, "content": content,
        "schedules": [day(2) + "T09:00"], "fromDate": day(1), "toDate": day(9), "times": ["09:00"], "days": [1, 31],
        "daysOfWeek": ["MONDAY"], "removeGuide": "Menu > Settings",
    }
    return configuration(options, credentials), {"key": key, "items": [], "known": known}


def day(ahead):
    """A day in Korea's and Japan's time."""
    return (datetime.now(timezone(timedelta(hours=9))) + timedelta(days=ahead)).strftime("%Y-%m-%d")


def corepush(options, server, app, admin):
    """The configuration for CORE PUSH's calls."""
    key, secret = KEYS["corepush"]
    credentials = f"""
[auth.openapi.basic]
username = "corepush"
password = {json.dumps(secret)}

[auth.openapi.secretKey]
api_key = {json.dumps(secret)}
"""
    base, headers = "/iphone_push_", {"X-Secret-Key": secret}
    data = base64.b64encode(json.dumps([{"app_user_id": "9999999999", "message": "Hi"}]).encode()).decode()
    later = {"config_key": key, "request_data": data, "send_date": day(3) + " 09:00:00", "groups": 2, "interval": 60}
    distribution = form(server, base + "distribution.php", later, headers)
    known = {
        "feedback_key": distribution["feedback_key"], "device_token": TOKEN, "mode": "1", "config_type": "1",
        "category_id": '{"1":["A"]}', "app_user_id": "u", "latitude": "35.6", "longitude": "139.7", "sandbox": "1",
        "send_date": day(2) + " 09:00:00", "groups": "3", "interval": "600", "attributes": '{"plan":"gold"}',
    }
    return configuration(options, credentials), {"key": key, "items": ITEMS, "known": known}


def coimotion(options, server, app, admin):
    """The configuration for COIMOTION's calls: somebody is signed in, and there are events and buses."""
    fill(lambda method, path, body: call(server, method, path, body, **admin), app)
    base, salted = f"/{CODE}/core/user/", "4458181e25ee28c136b342effebfdf1e2b7c6652"

    def post(operation, **values):
        return call(server, "POST", base + operation, {"_key": KEY, **values})

    begun = post("register", accName="alice", passwd=salted, passwd2=salted)["value"]["actID"]
    token = post("activate/" + begun)["token"]
    event, data = "53a1b2c3d4e5f60718293a4b", "data:image/png;base64,iVBORw0KGgo="
    picture = call(server, "POST", f"/{CODE}/twShow/show/attach/{event}", {
        "token": token, "nType": "3", "dataURI": data})["value"]["list"][0]["ngID"]
    credentials = f"""
[auth.openapi.appKey]
api_key = {json.dumps(KEY)}

[auth.openapi.token]
api_key = {json.dumps(token)}
"""
    known = {
        "token": token, "accName": "alice", "passwd": salted, "passwd2": salted, "oldPasswd": salted, "cat": "1",
        "fromTm": "2026-11-26", "toTm": "2026-12-03", "lat": "22.6264", "lng": "120.2657", "r": "1", "_pn": "1",
        "_ps": "10", "_key": KEY, "nType": "3", "title": "t", "dataURI": data, "path": "file", "maxw": "100",
    }
    ids = {"byCity": "15", "info": event, "attach": event, "node": picture, "routes": "KHH1", "next": "KHH100"}
    return configuration(options, credentials), {"key": KEY, "code": CODE, "ids": ids, "items": [], "known": known}


def form(server, path, fields, headers):
    request = urllib.request.Request(
        server["url"] + path, urllib.parse.urlencode(fields).encode(), headers, method="POST")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def reached(api, path):
    """Whether calls of most operations succeeded: a fuzzer that only gets errors looks at little."""
    with open(path) as file:
        outcomes = [line.split() for line in file]
    tried, succeeded = {name for name, _ in outcomes}, {name for name, outcome in outcomes if outcome == "1"}
    print(f"{api}: {len(outcomes)} answers; of {len(tried)} operations {len(succeeded)} succeeded; the others:",
          " ".join(sorted(tried - succeeded)), flush=True)
    return 2 * len(succeeded) > len(tried)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", type=json.loads, required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--schemathesis", required=True)
    parser.add_argument("--examples", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    options = parser.parse_args()
    server = dict(options.server)
    server["url"] = server["url"].removesuffix("/v1")
    admin = {"Authorization": "Bearer " + admin_key(options.server)}
    app = prepare(server)[0]["app"]["id"]
    call(server, "PATCH", f"/v1/apps/{app}", {"personalMessages": True}, **admin)
    with open(os.path.join(options.folder, "vendor_hooks.py"), "w") as file:
        file.write(HOOKS)
    failures = 0
    resources = os.path.join(os.path.dirname(__file__), "../../Sources/CarillonServer/Resources")
    for api, prepare_api, path, name in [
        ("toast", toast, "/push/openapi.yaml", "openapi-toast-push.yaml"),
        ("corepush", corepush, "/corepush/openapi.yaml", "openapi-core-push.yaml"),
        ("coimotion", coimotion, "/coimotion/openapi.yaml", "openapi-coimotion.yaml"),
    ]:
        if api in KEYS:
            key, secret = KEYS[api]
            call(server, "PUT", f"/v1/apps/{app}/vendor-apis/{api}", {"key": key, "secret": secret}, **admin)
        text, facts = prepare_api(options, server, app, admin)
        facts["outcomes"] = os.path.join(options.folder, f"outcomes-{api}")
        # Of COIMOTION's no operation has a secret.
        facts["keyed"] = keyed_operations(os.path.join(resources, name)) if api in KEYS else []
        file = os.path.join(options.folder, f"schemathesis-{api}.toml")
        with open(file, "w") as output:
            output.write(text)
        result = subprocess.run(
            [options.schemathesis, "--config-file", file, "run", server["url"] + path, "--url", server["url"],
             "--continue-on-failure"],
            cwd=options.folder, env={**os.environ, "VENDOR_FUZZ": json.dumps(facts)})
        failures += result.returncode != 0
        failures += not reached(api, facts["outcomes"])
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
