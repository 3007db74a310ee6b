"""Walks through the console in a headless Chromium, and checks each page's accessibility with axe.

    console_walk.py --server ANNOUNCEMENT --axe FILE --chromium PROGRAM [--images FOLDER]
"""
import argparse
import base64
import hashlib
import hmac
import importlib
import importlib.util
import json
import pathlib
import struct
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PASSWORD = "three long words here"
ADDRESS = "ana@example.org"
# Further parts, each a file console_walk_NAME.py with a function `walk(walk)`.
PARTS = ["base", "audience", "content", "pages", "compose", "settings", "live", "entry", "nodes"]


def driver():
    """The browser's driver, which tests of the simulator's page use too."""
    place = ROOT / "Tests/Programs/browser.py"
    spec = importlib.util.spec_from_file_location("browser", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Browser


def code(secret, wait=False):
    """The code that an authenticator shows now (RFC 6238); a code is good once, so that a second one has to wait."""
    if wait:
        time.sleep(30 - time.time() % 30 + 0.5)
    digest = hmac.new(base64.b32decode(secret), struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
    place = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[place:place + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


class Walk:
    def __init__(self, browser, options, url):
        self.browser, self.url = browser, url
        self.axe = pathlib.Path(options.axe).read_text(encoding="utf-8")
        self.images = options.images and pathlib.Path(options.images)
        self.count, self.width = 0, 1280
        self.apns, self.key = None, None

    # The person

    def open(self, path):
        self.browser.call("Page.navigate", url=self.url + path)
        self.browser.until(f"document.readyState === 'complete' && location.origin === {json.dumps(self.url)}")

    def fill(self, values):
        """Fills fields in, as somebody who types does."""
        for name, value in values.items():
            self.browser.value(
                f"(e => {{ e.focus(); if (e.matches('select')) e.value = {json.dumps(value)};"
                f" else {{ e.value = ''; }} }})(document.getElementById({json.dumps(name)}))")
            if not self.browser.value(f"document.getElementById({json.dumps(name)}).matches('select')"):
                self.browser.call("Input.insertText", text=value)

    def press(self, selector="main button.primary"):
        """Presses a button with the keyboard, and waits for the page that comes."""
        self.browser.value(f"window.isLeft = true; document.querySelector({json.dumps(selector)}).focus()")
        self.browser.press("Enter")
        self.browser.until("!window.isLeft && document.readyState === 'complete'")

    def text(self, selector="main"):
        return self.browser.value(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''")

    def resize(self, width):
        self.width = width
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def api(self, path, body, method="POST"):
        """Calls V1 with the server's first API key."""
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(),
            {"Authorization": "Bearer " + self.key, "Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    # What is checked

    def expect(self, condition, what):
        if not condition:
            page = self.browser.value("location.href + ' ' + document.body.innerText")
            sys.exit(f"console-walk: not so: {what}\n{page}")

    def check(self, name):
        """Checks the page's accessibility, the size of its targets, and that nothing is wider than the window."""
        self.browser.value(self.axe + "; true")
        run = {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations"]}
        found = self.browser.value(
            f"axe.run(document, {json.dumps(run)}).then(r => r.violations.map(v => [v.id, v.help,"
            " v.nodes.map(n => n.html + ' ' + n.failureSummary).slice(0, 3)]))")
        self.expect(not found, f"{name} is accessible: {json.dumps(found, ensure_ascii=False, indent=1)}")
        self.expect(
            self.browser.value(f"document.documentElement.scrollWidth <= {self.width}"),
            f"{name} is {self.width} wide: " + str(self.browser.value(
                "[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1"
                " && !e.closest('.table')).map(e => e.outerHTML.slice(0, 120)).slice(0, 5)")))
        # Links in text are axe's: their rule counts the space around them.
        small = self.browser.value(
            "[...document.querySelectorAll('button, input:not([type=hidden]), select, summary, nav a, .button')]"
            ".filter(e => e.offsetParent"
            " && (r => r.width && (r.width < 24 || r.height < 24))(e.getBoundingClientRect()))"
            ".map(e => e.outerHTML.slice(0, 120))")
        self.expect(not small, f"{name} has targets of 24 × 24: {small}")
        self.expect(self.browser.value("document.querySelectorAll('h1').length") == 1, f"{name} has one h1")
        self.count += 1
        if self.images:
            self.images.mkdir(parents=True, exist_ok=True)
            self.browser.screenshot(str(self.images / f"{name}.png"), self.width, 900)
            self.resize(self.width)


def set_up(walk, link):
    walk.open(link)
    walk.check("setup")
    walk.fill({"address": ADDRESS, "displayName": "Ana", "password": "short"})
    walk.press()
    walk.expect(walk.browser.value("document.activeElement.matches('.problems')"), "the summary of problems has the focus")
    walk.expect(walk.browser.value("document.title").startswith("Error: "), "the title says that there is an error")
    walk.expect(walk.browser.value("document.getElementById('address').value") == ADDRESS, "what was typed is kept")
    walk.check("setup-problem")
    walk.fill({"password": PASSWORD})
    walk.press()
    walk.check("second-factor")
    secret = walk.text("main code").replace(" ", "")
    walk.expect(walk.browser.value("document.querySelector('.qr path').getAttribute('d').length") > 1_000, "there is a QR code")
    walk.fill({"code": code(secret)})
    walk.press()
    walk.expect(walk.browser.value("document.querySelectorAll('.codes li').length") == 10, "there are ten recovery codes")
    walk.check("recovery-codes")
    walk.press("main a.primary")
    walk.check("home-empty")
    return secret


def invite(walk):
    walk.open("/console/operators/invite")
    walk.check("invite")
    walk.fill({"address": "ben@example.org", "role": "viewer"})
    walk.press()
    walk.expect("/console/invite/" in walk.text(".warning"), "the invitation is shown")
    walk.check("invitation")


def look(walk, language, theme):
    walk.open("/console/account")
    walk.fill({"language": language, "theme": theme})
    walk.press()
    walk.expect(walk.browser.value("document.documentElement.lang") == language, f"the page is in {language}")
    walk.expect(walk.browser.value("document.documentElement.dataset.theme") == theme, f"the page is {theme}")


def see_all(walk, paths):
    for language in ("en", "ja", "ko", "zh-Hant"):
        for theme in ("light", "dark"):
            walk.resize(1280)
            look(walk, language, theme)
            # No theme changes where anything stands.
            for width in (320, 768, 1280) if theme == "light" else (1280,):
                walk.resize(width)
                for name, path in paths.items():
                    walk.open(path)
                    walk.check(f"{name}-{language}-{theme}-{width}")
        print(f"  {language}: {walk.count} pages so far", flush=True)
    walk.resize(1280)
    look(walk, "en", "light")


def sign_in_again(walk, secret):
    walk.press(".person button")
    walk.check("login")
    walk.fill({"address": ADDRESS, "password": PASSWORD})
    walk.press()
    walk.check("code")
    walk.fill({"code": code(secret, wait=True)})
    walk.press()
    walk.expect(walk.browser.value("location.pathname") == "/console/", "the first page comes")


def api(server, key, path, body):
    request = urllib.request.Request(
        server + path, json.dumps(body).encode(), {"Authorization": "Bearer " + key, "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("server", "axe", "chromium"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--apns", type=json.loads)
    parser.add_argument("--images")
    parser.add_argument("--part", action="append", help="only these parts, after signing in")
    options = parser.parse_args()
    server = json.loads(options.server)
    link = pathlib.Path(server["setupLinkFile"]).read_text(encoding="utf-8").strip()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = driver()(options.chromium, folder)
        try:
            browser.attach()
            browser.call("Network.enable")
            browser.call("Network.setExtraHTTPHeaders", headers={"Accept-Language": "en"})
            walk = Walk(browser, options, server["url"])
            walk.resize(1280)
            secret = set_up(walk, link.removeprefix(server["url"]))
            walk.key = key = pathlib.Path(server["adminKeyFile"]).read_text(encoding="utf-8").strip()
            apps = [api(server["url"], key, "/v1/apps", {"name": name, "bundleID": f"org.example.{index}"})["app"]["id"]
                    for index, name in enumerate(("瘋藝文", "City Bus", "A name that is so long that it does not fit"))]
            if not options.part:
                invite(walk)
                see_all(walk, {
                    "home": "/console/", "app": f"/console/apps/{apps[0]}", "account": "/console/account",
                    "operators": "/console/operators", "missing": "/console/nothing",
                })
                sign_in_again(walk, secret)
            walk.apns = options.apns
            for name in options.part or PARTS:
                importlib.import_module("console_walk_" + name).walk(walk)
            # Pages with problems, and the one that there is not, were asked for.
            # It would have authenticators of RSA keys asked for, too.
            asked = ("Failed to load resource: the server responded with a status of 4", "publicKey.pubKeyCredParams is missing")
            complaints = [one for one in browser.complaints if not one.startswith(asked)]
            walk.expect(not complaints, f"the browser complains of nothing: {complaints}")
        finally:
            browser.process.kill()
            browser.process.wait()
    print(f"console-walk: {walk.count} pages, none of them with a problem")


if __name__ == "__main__":
    main()
