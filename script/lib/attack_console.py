"""Attacks a console: each route as everybody who may not have it, forms of others, hostile texts, entry and races.

    attack_console.py --server ANNOUNCEMENT --apns ANNOUNCEMENT --log FILE

The server runs with `--log-level debug` and tells its routes in the log. Prints a line for each attack with the number of
requests, and what was found; ends with 1 when something was.
"""
import argparse
import collections
import concurrent.futures
import csv
import io
import json
import pathlib
import re
import sqlite3
import sys
import time
import urllib.parse

import attack_console_entry
from attack_console_world import INJECTED, ROLES, World
from console_browser import Browser

HEADERS = {
    "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
}
# What changes by itself, or with a look: sessions' last use, the log of looks, heartbeats, and calls of webhooks.
OWN = re.compile(r"audit|session|attempt|node|lease|sqlite_|heartbeat|throttle|link|provider_tokens|webhook")
# The daily check of a push key is written beside it.
CHECKED = ("last_check", "checked_at")
QUERIES = ["q", "state", "after", "kind", "outcome", "days", "id", "tab", "words", "table", "user", "campaign", "language", "actor"]
# Least roles by the reference, apart from what the server declares.
LEAST = [
    (r"^\S+ /(operators|audit|apps/new)", ("everywhere", "admin")),
    (r"^\S+ /apps/\{app\}/settings/", ("app", "admin")),
    (r"^\S+ /apps/\{app\}/(devices|users)/\{\w+\}/(erase|forget|token|drop-token|export)", ("app", "admin")),
    (r"^POST /apps/\{app\}/(pause|resume)-sending", ("app", "sender")),
    (r"^POST .*/campaigns/\{campaign\}/(confirm|undo|send-now|approve|refuse|pause|resume|cancel|pace|correct)$",
     ("app", "sender")),
    (r"^POST /apps/\{app\}", ("app", "editor")),
    (r"^GET /apps/\{app\}", ("app", "viewer")),
]


class Attack:
    def __init__(self, options):
        self.findings, self.counts = [], collections.Counter()
        self.section, self.log, self.only = "preparing", pathlib.Path(options.log), options.only
        self.world = World(options.server, options.apns, self.see)
        self.routes = self.declared()

    def find(self, what):
        self.findings.append(f"{self.section}: {what}")
        print("FOUND " + self.findings[-1], flush=True)

    def see(self, method, path, answer):
        """What holds for each answer, whoever asks for what."""
        self.counts[self.section] += 1
        if answer.status >= 500 and answer.status != 503:
            self.find(f"{method} {path} answers {answer.status}")
        if not path.startswith("/console"):
            return
        for name, value in HEADERS.items():
            if answer.headers.get(name) != value:
                self.find(f"{method} {path} ({answer.status}) has {name}: {answer.headers.get(name)}")
        policy = answer.headers.get("Content-Security-Policy", "")
        if "frame-ancestors 'none'" not in policy or "default-src 'none'" not in policy or "unsafe" in policy:
            self.find(f"{method} {path} ({answer.status}) has the policy {policy}")
        if any(name.lower().startswith("access-control-") for name in answer.headers):
            self.find(f"{method} {path} lets other origins read it")
        if not path.startswith("/console/assets/") and answer.headers.get("Cache-Control") != "no-store":
            self.find(f"{method} {path} may be kept: {answer.headers.get('Cache-Control')}")
        for field in answer.headers.get_all("Set-Cookie") or []:
            if "HttpOnly" not in field or "SameSite=Lax" not in field or "Path=/" not in field:
                self.find(f"{method} {path} sets the cookie {field.split('=')[0]} with {field.split(';', 1)[1]}")
        if answer.location and not self.is_own(answer.location):
            self.find(f"{method} {path} leads to {answer.location}")
        self.look(method, path, answer)

    def look(self, method, path, answer):
        """No hostile text became part of the page, and no secret is in it."""
        # What shows secrets to who has just made them; the page of a whole token is an admin's own act.
        if "text/html" in answer.headers.get("Content-Type", ""):
            for tag, fields in answer.page.elements:
                handlers = [name for name in fields if name.startswith("on") or name in ("style", "data-attack", "/data-attack")]
                foreign = tag == "script" and not fields.get("src", "").startswith("/console/assets/")
                link = fields.get("href", "") + fields.get("action", "") + fields.get("src", "")
                if handlers or foreign or re.match(r"\s*(javascript|data|vbscript):", link, re.I):
                    self.find(f"{method} {path} has <{tag} {fields}>"[:300])
        if "text/csv" in answer.headers.get("Content-Type", ""):
            for row in csv.reader(io.StringIO(answer.text.removeprefix("\ufeff"))):
                if any(cell[:1] in ("=", "+", "@", "\t") for cell in row):
                    self.find(f"{method} {path} has a cell that is evaluated: {row}"[:300])
        if path.endswith("/token") or "/second-factor" in path:
            return
        for name, secret in list(self.world.secrets.items()):
            # All that is stored of a person, which an admin asked for, has the person's tokens.
            if path.endswith("/export.jsonl") and "device token" in name:
                continue
            if secret and secret.encode() in answer.body:
                self.find(f"{method} {path} shows {name}")

    def is_own(self, location):
        place = urllib.parse.urlparse(urllib.parse.urljoin(f"http://127.0.0.1:{self.world.port}/console/", location))
        return place.netloc == f"127.0.0.1:{self.world.port}" and place.path.startswith("/console") and "\\" not in location

    def declared(self):
        """The routes that the server tells: method, path, scope, least role, and whether a recent password is needed."""
        routes = []
        for line in self.log.read_text(encoding="utf-8").splitlines():
            if "The console has a route." in line:
                fields = dict(re.findall(r"carillon\.(\w+)=(\S+)", line))
                routes.append((fields["method"], fields["route"], fields["scope"], fields["role"]))
        if len(routes) < 50:
            sys.exit("attack-console: the server tells no routes; it needs --log-level debug")
        return routes

    # The world

    def state(self):
        """All rows of the store but those that change with a look."""
        store = sqlite3.connect(f"file:{self.world.store}?mode=ro", uri=True, timeout=10)
        try:
            names = [name for name, in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {name: hash(tuple(store.execute(self.select(store, name)))) for name in names if not OWN.search(name)}
        finally:
            store.close()

    @staticmethod
    def select(store, table):
        columns = [row[1] for row in store.execute(f'PRAGMA table_info("{table}")') if row[1] not in CHECKED]
        return "SELECT " + ", ".join(f'"{column}"' for column in columns) + f' FROM "{table}"'

    def state_at_rest(self):
        """The state once nothing is under way any more."""
        before = self.state()
        for _ in range(40):
            time.sleep(0.25)
            now = self.state()
            if now == before:
                return now
            before = now
        return before

    def unchanged(self, before, what):
        now = self.state()
        changed = [name for name in before if now.get(name) != before[name]]
        if changed:
            self.find(f"{what} changed {', '.join(changed)}")

    def crawl(self, browser, app):
        """Real paths of an App's pages by route: links and forms of its pages lead to them."""
        patterns = [(route[1], re.compile("/console" + re.sub(r"\{\w+\}", "([^/?]+)", route[1]) + "$")) for route in self.routes]
        waiting, seen, parameters, kinds = [f"/console/apps/{app}"], set(), {}, collections.Counter()
        found = {}
        while waiting:
            path = waiting.pop(0)
            bare = path.split("?")[0].split("#")[0]
            route = next((name for name, pattern in patterns if pattern.match(bare)), None)
            if bare in seen or not route or "/live" in bare or (app not in bare and "{app}" in route):
                continue
            seen.add(bare)
            found.setdefault(route, bare)
            for name, value in zip(re.findall(r"\{(\w+)\}", route), next(
                    pattern for one, pattern in patterns if one == route).match(bare).groups()):
                if name != "app":
                    parameters.setdefault(name, value)
            kinds[route] += 1
            if kinds[route] > 4 or ("GET", route) not in {(one[0], one[1]) for one in self.routes}:
                continue
            answer = browser.get(path)
            if answer.location:
                waiting.append(answer.location)
            if answer.is_page:
                page = answer.page
                waiting += page.links + [form["action"] for form in page.forms]
        return {**found, "parameters": parameters}

    def path(self, route, app, found):
        """A real path of a route where the App's pages have its objects, else one of something unknown."""
        if route in found:
            return found[route]
        for name, value in found.get("parameters", {}).items():
            route = route.replace("{" + name + "}", value)
        return "/console" + re.sub(r"\{\w+\}", "unknown", route.replace("{app}", app))

    # Who may what

    def refusal(self, caller, scope, role, app):
        """The status that the reference asks for; `None` when the caller may."""
        if caller.stage != "full":
            return None if scope == "open" else 303
        if scope in ("open", "signed-in"):
            return None
        if scope == "app" and caller.app not in (None, app):
            return 404
        if scope == "everywhere" and caller.app:
            return 403
        return None if ROLES.index(caller.role) >= ROLES.index(role) else 403

    def declarations(self):
        """What the server declares is what the reference asks for."""
        for method, route, scope, role in self.routes:
            least = next((need for pattern, need in LEAST if re.match(pattern, f"{method} {route}")), None)
            if least and (scope != least[0] or ROLES.index(role) < ROLES.index(least[1])):
                self.find(f"{method} {route} needs {scope} {role}, not {least}")
            if not least and scope == "open" and route.split("/")[1] not in ("login", "logout", "setup", "invite", "reset"):
                self.find(f"{method} {route} is open")

    def matrix(self, callers, apps, found, method):
        """Each route × caller × App; forms have the caller's own token, so that only the role stands in the way."""
        def all_of(caller):
            browser, done = caller.browser.copy(), 0
            browser.open("/console/login" if caller.stage == "none" else "/console/account")
            for kind, route, scope, role in self.routes:
                for app in apps if "{app}" in route else apps[:1]:
                    expected = self.refusal(caller, scope, role, app)
                    path = self.path(route, app, found[app])
                    if kind != method or (method == "POST" and expected is None):
                        continue
                    if method == "GET" and route in ("/login", "/login/again"):
                        continue
                    answer = browser.get(path) if method == "GET" else browser.post(path, {"name": "x", "role": "admin"})
                    done += 1
                    self.judge(f"{caller.name} {method} {path}", answer, expected)
            return done
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            return sum(pool.map(all_of, callers))

    def judge(self, what, answer, expected):
        if expected == 303:
            # A form of a stranger leads to the page for signing in, which holds it; before the second factor to that of the code.
            is_login = answer.status == 303 and answer.location.startswith("/console/login")
            asks = any(title in answer.text for title in ("Sign in", "Enter your code"))
            held = answer.status == 200 and answer.is_page and asks and '_held"' in answer.text
            if not (is_login or held):
                self.find(f"{what} answers {answer.status}, not the way to sign in")
        elif expected is not None and answer.status != expected:
            self.find(f"{what} answers {answer.status}, not {expected}")
        elif expected is None and answer.status not in (200, 204, 303, 404, 409, 410, 422, 429):
            self.find(f"{what} answers {answer.status}")

    def mixed(self, caller, apps, found):
        """Objects of another App below the own one."""
        browser = caller.browser.copy()
        browser.open("/console/account")
        for kind, route, scope, _ in self.routes:
            # Users, labels and content sets have names that both Apps may use.
            named = re.search(r"\{(user|set|url|api|kind|dimension)\}", route)
            if scope != "app" or "{" not in route.replace("{app}", "") or named:
                continue
            path = self.path(route, apps[1], found[apps[1]]).replace(apps[1], apps[0])
            answer = browser.get(path) if kind == "GET" else browser.post(path, {"name": "x"})
            if answer.status != 404:
                self.find(f"{caller.name} {kind} {path} answers {answer.status}, not 404")

    def forgeries(self, caller, other, apps, found):
        """Forms of another site, without a token, or with somebody else's."""
        browser = caller.browser.copy()
        browser.open("/console/account")
        other.browser.open("/console/account")
        variants = [
            ("", {}), (other.browser.token, {}), (None, {"Sec-Fetch-Site": "cross-site"}), (None, {"Sec-Fetch-Site": "same-site"}),
            (None, {"Sec-Fetch-Site": None, "Origin": "https://evil.example"}), (None, {"Sec-Fetch-Site": None, "Origin": "null"}),
            (None, {"Sec-Fetch-Site": None}),
        ]
        for kind, route, _, _ in self.routes:
            path = self.path(route, apps[0], found[apps[0]])
            for token, headers in variants if kind == "POST" else []:
                answer = browser.post(path, {"role": "admin", "name": "x"}, token, headers)
                if answer.status != 403:
                    self.find(f"POST {path} with {headers or 'another token'} answers {answer.status}")

    def methods(self, caller, apps, found):
        """Methods that no route has, and HEAD, which is as GET without a body."""
        browser = caller.browser.copy()
        gets = {route for kind, route, _, _ in self.routes if kind == "GET"}
        for route in dict.fromkeys(route for _, route, _, _ in self.routes):
            path = self.path(route, apps[0], found[apps[0]])
            for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
                answer = browser.ask(method, path)
                if answer.status not in (403, 404, 405, 501):
                    self.find(f"{method} {path} answers {answer.status}")
            if route in gets and "/live" not in route:
                answer = browser.ask("HEAD", path)
                if answer.body or answer.status >= 500:
                    self.find(f"HEAD {path} answers {answer.status} with {len(answer.body)} bytes")

    def texts(self, caller, apps):
        """Each field of each form filled with the hostile text, then all pages once more."""
        browser = caller.browser.copy()
        browser.open("/console/account")
        found, sent = self.crawl(browser, apps[0]), set()
        extra = ["/console/account", "/console/operators/invite", "/console/apps/new", "/console/search"]
        found.pop("parameters")
        for path in [*found.values(), *extra]:
            if "/live" in path or path.endswith(("/token", ".csv", ".jsonl")):
                continue
            answer = browser.get(path)
            for form in answer.page.forms if answer.is_page else []:
                kind = re.sub(r"(?<=/)(cmp|tpl|aud|tag|whk|sta|opr|key|cat)_\w+", "ID", form["action"])
                if kind in sent or re.search(r"logout|/end|recovery-codes|second-factor|passkey|/delete|/forget|/erase|/account/password|remove|disable", form["action"]):
                    continue
                sent.add(kind)
                values = {field["name"]: INJECTED for field in form["fields"]
                          if field["kind"] in ("text", "textarea", "search", "url", "email") and field["name"] != "address"}
                pairs = answer.page.sent(form, values)
                if form["method"] == "get":
                    browser.get(form["action"] + "?" + urllib.parse.urlencode(pairs))
                else:
                    browser.post(form["action"] or path, pairs, next((v for n, v in pairs if n == "_csrf"), None))
        pages = self.crawl(browser, apps[0])
        pages.pop("parameters")
        for path in ["/console/", "/console/account", "/console/operators", "/console/audit", "/console/audit.csv",
                     "/console/system", "/console/approvals", "/console/search?q=" + urllib.parse.quote(INJECTED)]:
            browser.get(path)
        gets = {route for kind, route, _, _ in self.routes if kind == "GET"}
        query = urllib.parse.urlencode({name: INJECTED for name in QUERIES})
        for route, path in pages.items():
            if route in gets and "/live" not in path:
                browser.get(f"{path}?{query}")
        print(f"  {len(sent)} kinds of forms", flush=True)

    def logged(self):
        """No secret and no session is in the log."""
        text = self.log.read_text(encoding="utf-8", errors="replace")
        for name, secret in self.world.secrets.items():
            if secret and secret in text:
                self.find(f"the log has {name}")

    def run(self):
        world, begun = self.world, time.monotonic()
        apps = [world.fill("One"), world.fill("Two")]
        callers = world.people(*apps)
        admin = next(caller for caller in callers if caller.name == "admin")
        own = next(caller for caller in callers if caller.name == "app-admin")
        browser = admin.browser.copy()
        browser.open("/console/account")
        found = {app: self.crawl(browser, app) for app in apps}
        rows = []

        def attack(name, work, changes_nothing=True):
            if self.only and name not in self.only:
                return
            self.section = name
            before, known, start = self.state_at_rest() if changes_nothing else None, len(self.findings), time.monotonic()
            work()
            if before is not None:
                self.unchanged(before, name)
            rows.append((name, self.counts[name], len(self.findings) - known))
            print(f"{name}: {self.counts[name]} requests, {len(self.findings) - known} findings,"
                  f" {time.monotonic() - start:.0f} s", flush=True)

        self.section = "declared roles"
        self.declarations()
        attack("pages × role × App", lambda: self.matrix(callers, apps, found, "GET"))
        attack("forms × role × App", lambda: self.matrix(callers, apps, found, "POST"))
        attack("objects of another App", lambda: [self.mixed(one, apps, found) for one in (admin, own)])
        attack("other methods", lambda: self.methods(admin, apps, found))
        attack("forms of other sites", lambda: self.forgeries(admin, own, apps, found))
        attack("redirects", lambda: attack_console_entry.redirects(self, admin), False)
        attack("paths", lambda: attack_console_entry.paths(self, own, apps))
        attack("hostile texts", lambda: self.texts(admin, apps), False)
        attack("sessions", lambda: attack_console_entry.sessions(self, admin, callers), False)
        attack("races", lambda: attack_console_entry.races(self, admin), False)
        self.section = "the log"
        self.logged()
        print(f"attack-console: {len(self.routes)} routes, {len(callers)} callers, {sum(self.counts.values())} requests in"
              f" {time.monotonic() - begun:.0f} s, {len(self.findings)} findings")
        for line in sorted(set(world.refused)):
            print("  refused by the API: " + line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("server", "apns"):
        parser.add_argument("--" + name, type=json.loads, required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("--only", action="append", help="only this attack, by its name in the output")
    attack = Attack(parser.parse_args())
    attack.run()
    sys.exit(1 if attack.findings else 0)


if __name__ == "__main__":
    main()
