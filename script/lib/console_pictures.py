"""Makes the pictures of docs/console.md: the first use of an empty server, and the gallery.

    console_pictures.py --carillon PROGRAM --chromium PROGRAM [--folder FOLDER]
"""
import argparse
import base64
import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from console_walk import PASSWORD, ROOT, Walk, code, driver

# The largest picture, in bytes.
LIMIT = 80_000


class Camera(Walk):
    """A person with a browser, who takes a picture of some pages."""

    def __init__(self, browser, folder):
        self.browser, self.folder, self.url, self.width = browser, folder, None, 1280
        browser.attach()
        browser.call("Network.enable")
        browser.call("Network.setExtraHTTPHeaders", headers={"Accept-Language": "en"})
        browser.call("Emulation.setScrollbarsHidden", hidden=True)
        folder.mkdir(parents=True, exist_ok=True)
        self.resize(1280)

    def picture(self, name, width=1000, height=660, top=None):
        """Keeps a picture of the page, from an element on when one is named."""
        self.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        place = f"document.querySelector({top!r}).getBoundingClientRect().top + scrollY - 24" if top else "0"
        self.browser.value(f"document.activeElement.blur(); window.scrollTo(0, {place})")
        self.browser.value("new Promise((done) => { setTimeout(done, 400); })")
        data = base64.b64decode(self.browser.call("Page.captureScreenshot", format="webp", quality=70)["data"])
        self.expect(len(data) < LIMIT, f"the picture {name} is small: {len(data)} bytes")
        file = self.folder / f"{name}.webp"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        print(f"  {name}: {len(data)} bytes", flush=True)
        self.resize(1280)

    def follow(self, text):
        """Presses the link or button whose words begin so."""
        found = self.browser.value(
            f"(e => e && (e.dataset.next = '', true))([...document.querySelectorAll('main a, main button')]"
            f".filter(e => !e.hidden).findLast(e => e.textContent.trim().startsWith({json.dumps(text)})))")
        self.expect(found, f"there is something to press for “{text}”")
        self.press("main [data-next]")

    def tick(self, selector):
        self.browser.value(f"document.querySelectorAll({json.dumps(selector)}).forEach(e => {{ e.checked = true; }})")

    def until(self, selector, tries=100):
        """Opens the page again until it has an element."""
        path = self.browser.value("location.pathname")
        for _ in range(tries):
            if self.browser.value(f"document.querySelector({json.dumps(selector)}) !== null"):
                return
            time.sleep(0.1)
            self.open(path)
        self.expect(False, f"{path} has {selector}")

    def path(self):
        return self.browser.value("location.pathname")


@contextlib.contextmanager
def running(arguments, ready):
    """Runs a program; `ready` finds in its lines what is waited for."""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    try:
        yield next(found for found in map(ready, process.stdout) if found)
    finally:
        process.terminate()
        process.wait()


def begin(camera, link):
    """From the setup link to an App."""
    camera.open(link)
    camera.fill({"address": "mei@example.org", "displayName": "Mei", "password": PASSWORD})
    camera.picture("first-use/1-setup", height=560)
    camera.press()
    secret = camera.text("main code").replace(" ", "")
    camera.fill({"code": code(secret)})
    camera.picture("first-use/2-second-factor", height=640)
    camera.press()
    camera.press("main a.primary")
    camera.follow("New App")
    camera.fill({"name": "City guide", "bundleID": "org.example.city-guide"})
    camera.picture("first-use/3-new-app", height=600)
    camera.press()
    camera.press("main a.primary")


def try_phone(camera):
    """The simulator, a phone, and its first notification."""
    camera.picture("first-use/4-first-steps")
    camera.follow("Use the simulator")
    camera.follow("Add a simulated phone")
    camera.follow("Send a test notification")
    camera.until("main form[action$='/open']")
    camera.picture("first-use/5-first-notification", height=640)
    return camera.path()


def send_campaign(camera, home, phone):
    camera.open(home)
    camera.follow("Send a first Campaign")
    camera.follow("New Campaign")
    camera.fill({"who": "everyone", "name": "Night market"})
    camera.press("button[name=do][value=next]")
    content = "message.content.default."
    camera.fill({content + "title": "Night market on Saturday", content + "body": "Forty stands along the river, from six."})
    camera.browser.until("document.querySelector('.phone')?.textContent.includes('Forty stands')")
    camera.picture("first-use/6-message", 1280, 860)
    camera.press("button[name=do][value=next]")
    camera.browser.value("document.getElementById('kind-information').checked = true")
    camera.press("button[name=do][value=next]")
    camera.tick("[name=tick]")
    camera.picture("first-use/7-review", height=620, top="#happens")
    camera.press("form[action$='/confirm'] button.primary")
    camera.until(".state.good")
    camera.open(phone)
    camera.picture("first-use/8-arrived", height=720)


def first_use(camera, carillon):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [carillon, "serve", "--json", "--data", folder, "--port", "0"]
        with running(command, lambda line: json.loads(line) if line.startswith("{") else None) as server:
            camera.url = server["url"]
            link = pathlib.Path(server["setupLinkFile"]).read_text(encoding="utf-8").strip()
            begin(camera, link.removeprefix(camera.url))
            home = camera.path()
            send_campaign(camera, home, try_phone(camera))


def sample(camera):
    """The path of the sample App."""
    return camera.browser.value(
        "[...document.querySelectorAll('main a')].find(a => a.textContent.includes('sample')).getAttribute('href')")


def look(camera, app):
    """The sample's pages."""
    camera.open(app)
    camera.browser.until("document.querySelector('[data-live-status]').textContent.startsWith('Live')")
    camera.picture("overview", 1280, 860)
    camera.open(app + "/campaigns")
    camera.picture("campaigns", 1280, 860)
    camera.follow("Exhibition")
    camera.picture("campaign", 1280, 860, top="main h2")
    camera.open(app + "/users/reader-1")
    camera.picture("user", 1280, 860)
    camera.open(app + "/content-sets/places/map")
    camera.picture("map", 1280, 860)
    camera.open("/console/system")
    camera.picture("system", 1280, 860)


def compose(camera, app):
    """A copy of a Campaign of several languages, from step to step."""
    camera.open(app + "/campaigns?q=Concert")
    camera.follow("Concert")
    camera.follow("Duplicate")
    draft = camera.path().split("/edit")[0] + "/edit/"
    for step, top in (("audience", "#estimate"), ("content", None), ("delivery", None), ("review", "#happens")):
        camera.open(draft + step)
        if step == "delivery":
            camera.browser.value("document.getElementById('kind-information').checked = true")
            camera.press("button[name=do][value=next]")
            camera.open(draft + step)
        camera.picture(step, 1280, 860, top=top)
    camera.open("/console/account")
    camera.fill({"theme": "dark"})
    camera.press()
    camera.open(draft + "content")
    camera.picture("content-dark", 390, 860, top=".phone, [data-preview]")


def gallery(camera, carillon):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [carillon, "demo", "--phones", "50", "--folder", folder]
        with running(command, lambda line: line.strip() if "/console/demo/" in line else None) as link:
            camera.url = link.split("/console/")[0]
            camera.open(link.removeprefix(camera.url))
            app = sample(camera)
            look(camera, app)
            compose(camera, app)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("carillon", "chromium"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "docs/console")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = driver()(options.chromium, folder)
        try:
            camera = Camera(browser, options.folder)
            first_use(camera, options.carillon)
            gallery(camera, options.carillon)
            camera.expect(not browser.complaints, f"the browser complains of nothing: {browser.complaints}")
        finally:
            browser.process.kill()
            browser.process.wait()


if __name__ == "__main__":
    sys.exit(main())
