"""What the console is attacked with: two Apps with something on each page, every text of them hostile, and people of all roles."""
import json
import pathlib
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

from console_browser import Browser

# No white space, so that tags take it too; a spreadsheet would evaluate it; a template would look something up.
INJECTED = "=\"'><b/data-attack><script>x</script>{{heading}}\u202e"
# Texts of messages have variables of their own.
WRITTEN = INJECTED.replace("{{", "{").replace("}}", "}")
TOPIC = "org.example.attack"
ROLES = ["viewer", "editor", "sender", "admin"]


class Refused(Exception):
    """V1 refused a request."""


class Caller:
    """Somebody who asks: a role everywhere, in the first App alone, or none."""

    def __init__(self, name, browser, role=None, app=None, stage="full"):
        self.name, self.browser, self.role, self.app, self.stage = name, browser, role, app, stage
        self.id = self.address = self.secret = None
        self.codes = []


class World:
    def __init__(self, server, apns, watch):
        self.url, self.port, self.apns, self.watch = server["url"], server["port"], apns, watch
        self.store = server["store"]
        self.link = pathlib.Path(server["setupLinkFile"]).read_text(encoding="utf-8").strip()
        self.key = pathlib.Path(server["adminKeyFile"]).read_text(encoding="utf-8").strip()
        # What no page, file or line of the log may contain, by name.
        self.secrets = {"the API key": self.key}
        self.refused = []

    def browser(self):
        return Browser(self.port, self.watch)

    def call(self, method, path, body=None, headers=None):
        """Calls V1 with the server's first API key."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, headers or {"Authorization": "Bearer " + self.key, "Content-Type": "application/json"},
            method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            raise Refused(f"{method} {path.split('?')[0]}: {error.code} {error.read()[:200].decode()}") from None

    def attempt(self, method, path, body, headers=None):
        """The same with a hostile text, which the API may refuse: then no page has it."""
        try:
            return self.call(method, path, body, headers)
        except Refused as refusal:
            self.refused.append(str(refusal))
            return None

    def fill(self, name):
        """An App with something on each of its pages; its id."""
        made = self.call("POST", "/v1/apps", {"name": name + INJECTED, "bundleID": TOPIC, "identity": "open"})
        app, key, query = made["app"]["id"], made["appKey"], "?app=" + made["app"]["id"]
        self.secrets["the identity secret of " + name] = made["identitySecret"]
        text = pathlib.Path(self.apns["keyFile"]).read_text(encoding="utf-8")
        self.secrets["the push key"] = text.splitlines()[1]
        self.call("PUT", f"/v1/apps/{app}/push-key", {
            "keyID": self.apns["keyID"], "teamID": self.apns["teamID"], "privateKey": text})
        control = f"http://{self.apns['host']}:{self.apns['controlPort']}/tokens"
        for place, token in enumerate(self.tokens(control)):
            self.device(app, key, f"{name}-{place}", token)
        self.labels(query)
        self.plans(query)
        self.sets(query)
        return app

    def tokens(self, control):
        request = urllib.request.Request(
            control, json.dumps({"count": 3, "topic": TOPIC}).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)["tokens"]

    def device(self, app, key, place, token):
        device = str(uuid.uuid5(uuid.NAMESPACE_DNS, place))
        phone = {"Carillon-App-Key": key, "Carillon-Device-Secret": "s" * 43, "Content-Type": "application/json"}
        self.secrets[f"the device token {place}"] = token
        self.attempt("PUT", f"/v1/devices/{device}", {
            "token": token, "language": "ko", "timeZone": INJECTED, "country": "KR", "user": INJECTED, "tenant": INJECTED,
            "model": INJECTED, "appVersion": INJECTED, "osVersion": INJECTED, "sdkVersion": INJECTED,
            "categories": [INJECTED], "consent": {"notifications": True, "ads": True}}, phone)
        self.attempt("PATCH", f"/v1/devices/{device}/attributes", {"attributes": {"nick": INJECTED}}, phone)
        if place.endswith("0"):
            self.attempt("POST", "/v1/test-devices?app=" + app, {"device": device, "name": INJECTED, "owner": INJECTED})

    def labels(self, query):
        tag = (self.attempt("POST", "/v1/tags" + query, {"name": INJECTED}) or {}).get("id")
        self.attempt("POST", "/v1/categories" + query, {"label": INJECTED, "title": INJECTED})
        self.attempt("POST", "/v1/audiences" + query, {"name": INJECTED, "rule": {"tag": tag}})
        self.statistics = (self.attempt("POST", "/v1/statistics-ids" + query, {"name": INJECTED}) or {}).get("id")
        made = self.attempt("POST", "/v1/webhooks" + query, {
            "url": "https://example.org/" + urllib.parse.quote(INJECTED), "topics": ["campaign.finished"]})
        if made:
            self.secrets["the secret of a webhook"] = made["secret"]
        made = self.attempt("POST", "/v1/keys" + query, {"name": INJECTED, "scopes": ["read"]})
        if made:
            self.secrets["a key of an App"] = made["secret"]

    def plans(self, query):
        content = {"title": WRITTEN, "subtitle": WRITTEN, "body": WRITTEN}
        message = {"content": {"default": content, "ko": content}}
        self.attempt("POST", "/v1/templates" + query, {"name": INJECTED, "message": message})
        plan = {"name": INJECTED, "audience": {"all": True}, "message": message}
        later = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7 * 86_400))
        sent = dict(plan, statisticsID=self.statistics) if self.statistics else plan
        for campaign in (sent, dict(plan, sendAt=later), dict(plan, draft=True)):
            self.attempt("POST", "/v1/campaigns" + query, campaign)

    def sets(self, query):
        fields = [{"name": "id", "type": "text"}, {"name": "name", "type": "text", "isSearchable": True},
                  {"name": "position", "type": "position"}]
        self.attempt("PUT", "/v1/content-sets/places" + query, {
            "version": 1, "title": INJECTED, "tables": [{"name": "places", "key": "id", "fields": fields}]})
        cell = INJECTED.replace('"', '""')
        self.attempt(
            "POST", "/v1/content-sets/places/imports" + query + "&format=csv",
            f'id,name,latitude,longitude\n"{cell}","{cell}",22.63,120.30\n2,Museum,22.61,120.29\n'.encode(),
            {"Authorization": "Bearer " + self.key, "Content-Type": "text/csv"})
        self.attempt("PUT", "/v1/content-sets/places/sources/daily" + query, {
            "format": "csv", "url": "https://example.org/" + urllib.parse.quote(INJECTED), "isActive": False})

    # People

    def set_up(self):
        """The first admin, by the setup link."""
        caller = Caller("admin", self.browser(), "admin")
        caller.address = "ana@example.org"
        caller.secret, caller.codes = caller.browser.accept(
            self.link, {"address": caller.address, "displayName": "Ana" + INJECTED})
        self.secrets["the authenticator of admin"] = caller.secret
        return caller

    def invite(self, name, role=None, apps=None, **options):
        """Somebody who has accepted an invitation and, where the role needs it, has a second factor."""
        caller = Caller(name, self.browser(), role or (apps and apps[0]["role"]), apps and apps[0]["app"], **options)
        caller.address = name + "@example.org"
        made = self.call("POST", "/v1/operators", {
            "address": caller.address, "displayName": name + INJECTED, "role": role, "apps": apps})
        caller.id = made["operator"]["id"]
        self.used = made["link"]["path"]
        caller.secret, caller.codes = caller.browser.accept(self.used, {"displayName": name + INJECTED})
        if caller.secret:
            self.secrets["the authenticator of " + name] = caller.secret
        return caller

    def people(self, app, other):
        """A caller of each kind: role everywhere, in `app` alone, in the `other` alone, half signed in, not signed in."""
        callers = [Caller("stranger", self.browser(), stage="none"), self.set_up()]
        callers += [self.invite(role, role) for role in ROLES[:3]]
        callers += [self.invite("app-" + role, apps=[{"app": app, "role": role}]) for role in ROLES]
        outsider = self.invite("other-admin", apps=[{"app": other, "role": "admin"}])
        half = self.invite("half", "admin")
        half.browser.sign_in(half.address)
        half.stage = "half"
        return [*callers, outsider, half]
