"""Walks through 瘋藝文 in a headless Chromium of a phone's size, and checks each page's accessibility with axe.

    fun_art_walk.py --url URL --axe FILE --chromium PROGRAM [--images FOLDER]
"""
import argparse
import importlib.util
import json
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH, HEIGHT = 390, 844
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def driver():
    """The browser's driver, which tests of the simulator's page use too."""
    place = ROOT / "Tests/Programs/browser.py"
    spec = importlib.util.spec_from_file_location("browser", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Browser


class Walk:
    def __init__(self, browser, options):
        self.browser, self.url = browser, options.url
        self.axe = pathlib.Path(options.axe).read_text(encoding="utf-8")
        self.images = options.images and pathlib.Path(options.images)
        self.count = 0

    # The person

    def open(self, path):
        self.browser.call("Page.navigate", url=self.url + path)
        self.arrive()

    def arrive(self, path=None):
        """Waits for a page, of a path if one is said."""
        here = "true" if path is None else f"location.pathname === {json.dumps(path)}"
        self.browser.until(f"document.readyState === 'complete' && location.origin === {json.dumps(self.url)} && {here}")

    def click(self, selector, path=None):
        """Clicks, in the middle of what the selector finds, as a mouse does."""
        self.browser.until(f"!!document.querySelector({json.dumps(selector)})")
        place = self.browser.value(
            f"(e => {{ e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect();"
            f" return [r.x + r.width / 2, r.y + r.height / 2] }})(document.querySelector({json.dumps(selector)}))")
        self.leave()
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)
        self.come(path)

    def leave(self):
        """Marks the page, so that the next one can be told from it."""
        self.browser.value("window.isLeft = true")

    def come(self, path):
        if path is not None:
            self.browser.until("!window.isLeft")
            self.arrive(path)

    def key(self, key, path=None):
        self.leave()
        self.browser.press(key)
        self.come(path)

    def tab_to(self, selector):
        """Presses Tab until what the selector finds has the focus, which must be visible."""
        for _ in range(60):
            self.browser.press("Tab")
            if self.browser.value(f"document.activeElement.matches({json.dumps(selector)})"):
                style = self.browser.value(
                    "(e => [e, ...e.children].some(c => getComputedStyle(c).outlineStyle !== 'none'"
                    " || getComputedStyle(c).strokeWidth === '5px'))(document.activeElement)")
                return self.expect(style, f"the focus of {selector} is visible")
        return self.expect(False, f"Tab leads to {selector}")

    def type(self, text):
        self.browser.call("Input.insertText", text=text)

    def text(self, selector="main"):
        return self.browser.value(f"document.querySelector({json.dumps(selector)})?.textContent ?? ''")

    # What is checked

    def expect(self, condition, what):
        if not condition:
            self.picture("failure")
            page = self.browser.value("location.href + ' ' + document.body.innerText")
            sys.exit(f"fun-art-walk: not so: {what}\n{page}")

    def check(self, name):
        """Checks the page's accessibility, and that nothing is wider than the phone."""
        self.browser.value(self.axe + "; true")
        run = {"runOnly": {"type": "tag", "values": RULES}, "resultTypes": ["violations"]}
        found = self.browser.value(
            f"axe.run(document, {json.dumps(run)}).then(r => r.violations.map(v => [v.id, v.help,"
            " v.nodes.map(n => n.html + ' ' + n.failureSummary).slice(0, 3)]))")
        self.expect(not found, f"{name} is accessible: {json.dumps(found, ensure_ascii=False, indent=1)}")
        self.expect(self.browser.value(f"document.documentElement.scrollWidth <= {WIDTH}"), f"{name} fits the phone")
        self.count += 1
        self.picture(name)
        print(f"  {self.count:2}. {name}: {self.browser.value('document.title')}", flush=True)

    def picture(self, name):
        if self.images:
            self.images.mkdir(parents=True, exist_ok=True)
            self.browser.value("document.querySelector('main').scrollTo(0, 0)")
            self.browser.screenshot(str(self.images / f"fun-art-{name}.png"), WIDTH, HEIGHT)


def sign_up(walk):
    walk.open("/")
    walk.arrive("/sign-in")
    walk.check("sign-in")
    walk.tab_to("a[href='/sign-in?mode=up']")
    walk.key("Enter", "/sign-in")
    for name, text in (("name", "alice@example.com"), ("password", "correct horse"), ("password-again", "correct cow")):
        walk.tab_to(f"#{name}")
        walk.type(text)
    walk.key("Enter", "/sign-in")
    walk.expect("兩次輸入的密碼不同" in walk.text(), "two different passwords are refused")
    walk.check("sign-up")
    for name in ("password", "password-again"):
        walk.tab_to(f"#{name}")
        walk.type("correct horse")
    walk.key("Enter", "/kinds")


def find_event(walk):
    walk.expect(walk.browser.value("document.querySelectorAll('.kinds a').length") == 9, "there are nine kinds")
    walk.check("kinds")
    walk.tab_to("a[href='/events?kind=1']")
    walk.key("Enter", "/events")
    walk.browser.value("document.getElementById('weeks').value = '4'")
    walk.click(".filter button", "/events")
    walk.expect(walk.browser.value("location.search") == "?kind=1&weeks=4", "the list is of four weeks")
    walk.check("list")
    return walk.browser.value("[...document.querySelectorAll('.rows a')].map(a => a.getAttribute('href'))")


def find_stops(walk, events):
    """Opens events until one has a picture and stops nearby."""
    for event in events:
        walk.open(event)
        if not walk.browser.value("!!document.querySelector('.poster')"):
            continue
        walk.browser.until("document.querySelector('.poster').complete")
        walk.expect(walk.browser.value("document.querySelector('.poster').naturalWidth > 0"), "the picture is shown")
        walk.check("event")
        walk.click(f"a[href^='{event}/map']", event + "/map")
        if walk.browser.value("document.querySelectorAll('.map a').length") >= 2:
            return
    walk.expect(False, "an event has a picture and stops nearby")


def find_bus(walk):
    walk.tab_to(".map a")
    path = walk.browser.value("location.pathname")
    walk.key("Enter", path)
    walk.expect(walk.browser.value("!!document.querySelector('#stop p')"), "the stop's routes are shown")
    walk.check("map")
    walk.click("a[href*='/routes?']", path.replace("/map", "/routes"))
    walk.check("routes")
    route = walk.browser.value("document.querySelector('.links a').getAttribute('href').split('?')[0]")
    walk.click(".links a", route)
    walk.expect(walk.browser.value("document.querySelectorAll('.arrivals tbody tr').length") >= 10, "stops have rows")
    walk.check("arrivals")
    first = walk.text("#arrivals")
    # What the buses tell is fetched every 15 seconds, and times have minutes.
    deadline = time.monotonic() + 150
    while walk.text("#arrivals") == first and time.monotonic() < deadline:
        time.sleep(0.5)
    walk.expect(walk.text("#arrivals") != first, "the arrivals move")
    walk.expect(walk.browser.value("!!document.querySelector('.live')"), "buses tell when they come")


def follow(walk):
    walk.click("nav a[href='/follows']", "/follows")
    walk.tab_to("button[aria-describedby='kind-1']")
    walk.key("Enter", "/follows")
    walk.expect("取消追蹤" in walk.text(), "the kind is followed")
    walk.check("follows")


def hear_of_news(walk):
    walk.click("nav a[href='/about']", "/about")
    walk.check("about")
    walk.click(".demonstration button", "/announce")
    title = walk.text(".demonstration [role=status]").strip()
    walk.expect(title, "a new event is announced")
    walk.click("nav a[href='/kinds']", "/kinds")
    deadline = time.monotonic() + 60
    while title not in walk.text("#notifications") and time.monotonic() < deadline:
        time.sleep(0.2)
    walk.expect(title in walk.text("#notifications"), "the push is shown")
    walk.check("push")
    keeps_notification(walk)
    walk.tab_to(".notification button")
    walk.leave()
    walk.key("Enter")
    walk.browser.until("!window.isLeft && location.pathname.startsWith('/events/')")
    walk.arrive()
    walk.expect(title in walk.text("h2"), "the notification opens its event")
    walk.expect(walk.text("#notifications").strip() == "", "the notification is gone")
    walk.check("opened")


def keeps_notification(walk):
    """What a page came with stays when the browser asks for the phone's notifications, with the focus."""
    walk.open("/kinds")
    walk.browser.value("document.querySelector('.notification').isOfPage = true;"
                       " window.answers = 0; const ask = window.fetch;"
                       " window.fetch = async (...all) => { const answer = await ask(...all);"
                       " if (String(all[0]).includes('/phone/notifications')) window.answers += 1; return answer; }; true")
    walk.tab_to(".notification button")
    walk.browser.until("window.answers >= 3")
    walk.expect(walk.browser.value("document.querySelector('.notification')?.isOfPage === true"),
                "the notification of the page stays")
    walk.expect(walk.browser.value("document.activeElement.matches('.notification button')"), "the focus stays")


def end(walk):
    walk.click("nav a[href='/about']", "/about")
    walk.click("button[value='en']", "/about")
    walk.expect("Sign out" in walk.text(), "the app is in English")
    walk.check("about-en")
    walk.open("/events?kind=6&weeks=4")
    walk.check("list-en")
    walk.click("nav a[href='/about']", "/about")
    walk.click("form[action='/sign-out'] button", "/sign-in")
    walk.expect("Password" in walk.text(), "who signs out signs in again")
    walk.check("sign-in-en")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("url", "axe", "chromium"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--images")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = driver()(options.chromium, folder)
        try:
            browser.attach()
            browser.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1,
                         mobile=False)
            browser.call("Network.enable")
            browser.call("Network.setExtraHTTPHeaders", headers={"Accept-Language": "zh-TW"})
            walk = Walk(browser, options)
            sign_up(walk)
            events = find_event(walk)
            find_stops(walk, events)
            find_bus(walk)
            follow(walk)
            hear_of_news(walk)
            end(walk)
            walk.expect(not browser.complaints, f"the browser complains of nothing: {browser.complaints}")
        finally:
            browser.process.kill()
            browser.process.wait()
    print(f"fun-art-walk: {walk.count} pages, none of them with a problem")


if __name__ == "__main__":
    main()
