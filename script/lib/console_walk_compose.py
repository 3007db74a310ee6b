"""A Campaign from its first button to its end: K-28 without JavaScript, K-93 by keyboard; K-40, K-43, K-56 and K-102."""
import json
import time
import urllib.request

TOPIC = "org.example.compose"


def post(url, body, headers=None, method="POST"):
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})}, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
        return json.loads(text) if text else None


def make_world(walk):
    """An App with the simulated push key, three phones in two zones, one of them a test Device; each send is held."""
    made = walk.api("/v1/apps", {
        "name": "Compose", "bundleID": TOPIC, "identity": "open", "personalMessages": True,
        "sendGuards": {"confirmAbove": 1, "approveAbove": 1000, "hold": 60}})
    app, key = made["app"]["id"], made["appKey"]
    control = f"http://{walk.apns['host']}:{walk.apns['controlPort']}"
    with open(walk.apns["keyFile"], encoding="utf-8") as file:
        walk.api(f"/v1/apps/{app}/push-key", {
            "keyID": walk.apns["keyID"], "teamID": walk.apns["teamID"], "privateKey": file.read()}, "PUT")
    tokens = post(control + "/tokens", {"count": 3, "topic": TOPIC})["tokens"]
    for place, token in enumerate(tokens):
        device = f"00000000-0000-4000-8000-00000000010{place}"
        headers = {"Carillon-App-Key": key, "Carillon-Device-Secret": "s" * 43}
        post(f"{walk.url}/v1/devices/{device}", {
            "token": token, "language": "en", "timeZone": ["Europe/Berlin", "Europe/Berlin", "Asia/Seoul"][place],
            "consent": {"notifications": True}, "user": f"c-{place}"}, headers, "PUT")
        if place == 0:
            walk.api(f"/v1/test-devices?app={app}", {"device": device, "name": "My phone"})
    return app


def scripts(walk, on):
    walk.browser.call("Emulation.setScriptExecutionDisabled", value=not on)


def path(walk):
    return walk.browser.value("location.pathname")


def tick(walk, selector):
    walk.browser.value(f"document.querySelectorAll({json.dumps(selector)}).forEach(e => {{ e.checked = true; }})")


def number(walk):
    return walk.browser.value("document.querySelector('[name=reach]').value")


def compose(walk, app, title):
    """A draft on all four steps."""
    walk.open(f"/console/apps/{app}/campaigns")
    walk.press(f"form[action$='/campaigns'] button")
    walk.expect(path(walk).endswith("/edit/audience"), "K-28 a new draft opens its first step")
    walk.fill({"who": "everyone"})
    walk.press("button[name=do][value=next]")
    walk.expect(path(walk).endswith("/edit/content"), "K-28 the audience is saved")
    walk.fill({"message.content.default.title": title, "message.content.default.body": "Come and see"})
    walk.press("button[name=do][value=save]:not([hidden])")
    walk.expect(title in walk.text(), "K-28 the message is previewed")


def deliver(walk):
    walk.browser.value("document.getElementById('kind-information').checked = true")
    walk.press("button[name=do][value=next]")
    walk.expect(path(walk).endswith("/edit/review"), "K-28 the delivery is saved")


def without_scripts(walk, app):
    scripts(walk, False)
    try:
        compose(walk, app, "Spring show")
        tick(walk, "[name=testDevice]")
        walk.press("[data-test-button]")
        walk.open(path(walk).split("/content")[0] + "/delivery")
        deliver(walk)
        reach = number(walk)
        walk.expect(reach == "3", f"K-28 the review counts three Devices: {reach}")
        tick(walk, "[name=tick]")
        walk.fill({"typed": " 3 "})
        walk.press("form[action$='/confirm'] button.primary")
        walk.expect("undo" in walk.text().lower(), "K-28 the Campaign is held")
        walk.press("form[action$='/undo'] button")
        walk.expect("nothing was sent" in walk.text(), "K-28 it is undone")
        walk.open(path(walk) + "/edit/review")
        tick(walk, "[name=tick]")
        walk.fill({"typed": "3"})
        walk.press("form[action$='/confirm'] button.primary")
        walk.press("form[action$='/send-now'] button")
        campaign = path(walk)
        for _ in range(100):
            walk.open(campaign)
            if walk.browser.value("document.querySelector('.state.good') !== null"):
                break
            time.sleep(0.1)
        walk.expect(walk.browser.value("document.querySelector('.state.good') !== null"), "K-28 it is read to its end")
    finally:
        scripts(walk, True)
    print("  K-28 a Campaign is made, previewed, tested, sent, undone and read to its end without JavaScript", flush=True)
    return campaign


def print_form(walk, campaign):
    walk.open(campaign + "/report")
    walk.browser.call("Emulation.setEmulatedMedia", media="print")
    seen = walk.browser.value("[...document.querySelectorAll('nav, header.top, footer, main form')].filter(e => e.offsetParent).length")
    heads = walk.browser.value("[...document.querySelectorAll('thead')].every(e => getComputedStyle(e).display === 'table-header-group')")
    shut = walk.browser.value("document.querySelectorAll('details.numbers:not([open])').length")
    walk.browser.call("Emulation.setEmulatedMedia", media="")
    walk.expect(seen == 0 and heads and shut == 0, f"K-102 paper has no navigation, heads and all numbers: {seen} {heads} {shut}")
    walk.check("campaign-report")
    print("  K-102 the print form has no navigation, repeats heads and shows all numbers", flush=True)


def meaning(walk, app):
    compose(walk, app, "Summer show")
    walk.open(path(walk).replace("/content", "/delivery"))
    walk.check("composer-delivery")
    walk.browser.value("document.getElementById('when-at').click()")
    day = walk.browser.value("new Date(Date.now() + 86400000 * 2).toISOString().slice(0, 10)")
    walk.fill({"zone": "UTC"})
    walk.browser.value(f"""(e => {{ e.value = '{day}'; e.dispatchEvent(new Event('input', {{ bubbles: true }})); }})(document.getElementById('date'))""")
    walk.browser.value("(e => { e.value = '12:00'; e.dispatchEvent(new Event('input', { bubbles: true })); })(document.getElementById('time'))")
    walk.browser.until("document.getElementById('meaning').textContent.includes('Asia/Seoul') && document.getElementById('meaning').textContent.includes('21:00')")
    print("  K-40 a fixed time is the clock in the zones of the reach", flush=True)
    walk.browser.value("document.getElementById('pace-perMinute').click()")
    walk.browser.value("(e => { e.value = '1'; e.dispatchEvent(new Event('input', { bubbles: true })); })(document.getElementById('perMinute'))")
    walk.browser.until("document.getElementById('meaning').textContent.includes('Ends about')")
    walk.browser.value("document.getElementById('kind-information').click()")
    walk.fill({"validFor": "1", "validForUnit": "minutes"})
    walk.press("button[name=do][value=next]")
    walk.expect("would be sent after it expired" in walk.text(), "K-43 an expiry before the end is an error")
    print("  K-43 a throttle shows its end, and an expiry before it is an error", flush=True)


def tab_to(walk, selector):
    """Moves the focus with the Tab key alone; each place on the way is seen, and nothing is above it."""
    for _ in range(150):
        walk.browser.press("Tab")
        if walk.browser.value(f"document.activeElement.matches({json.dumps(selector)})"):
            return
        walk.expect(walk.browser.value("""(e => { if (e === document.body || e.matches('.skip')) return true;
          const r = e.getBoundingClientRect();
          return r.bottom > 0 && r.top < innerHeight && getComputedStyle(e).outlineStyle !== 'none'; })(document.activeElement)"""),
            "K-93 the focus is seen: " + str(walk.browser.value("document.activeElement.outerHTML.slice(0, 200)")))
    walk.expect(False, f"K-93 {selector} is reached by Tab")


def by_keyboard(walk, app):
    compose(walk, app, "Autumn show")
    walk.open(path(walk).replace("/content", "/delivery"))
    tab_to(walk, "[name=kind]")
    walk.browser.call("Input.dispatchKeyEvent", type="keyDown", key=" ", code="Space", windowsVirtualKeyCode=32, text=" ")
    walk.browser.call("Input.dispatchKeyEvent", type="keyUp", key=" ", code="Space", windowsVirtualKeyCode=32)
    tab_to(walk, "button[name=do][value=next]")
    walk.browser.value("window.isLeft = true")
    walk.browser.press("Enter")
    walk.browser.until("!window.isLeft && document.readyState === 'complete'")
    walk.expect(path(walk).endswith("/edit/review"), "K-93 the step is saved with the keyboard")
    walk.check("composer-review")
    boxes = walk.browser.value("document.querySelectorAll('[name=tick]').length")
    for place in range(boxes):
        tab_to(walk, "[name=tick]")
        walk.browser.call("Input.dispatchKeyEvent", type="keyDown", key=" ", code="Space", windowsVirtualKeyCode=32, text=" ")
        walk.browser.call("Input.dispatchKeyEvent", type="keyUp", key=" ", code="Space", windowsVirtualKeyCode=32)
    tab_to(walk, "#typed")
    walk.browser.call("Input.insertText", text="3")
    walk.browser.value("window.isLeft = true")
    walk.browser.press("Enter")
    walk.browser.until("!window.isLeft && document.readyState === 'complete'")
    walk.expect("undo" in walk.text().lower(), "K-93 the Campaign is held")
    walk.check("campaign-held")
    tab_to(walk, "form[action$='/undo'] button")
    walk.browser.value("window.isLeft = true")
    walk.browser.press("Enter")
    walk.browser.until("!window.isLeft && document.readyState === 'complete'")
    walk.expect("nothing was sent" in walk.text(), "K-93 it is undone")
    print("  K-93 delivery, review, confirmation and undo by keyboard, with a visible focus", flush=True)


def walk(walk):
    app = make_world(walk)
    campaign = without_scripts(walk, app)
    walk.open(campaign)
    walk.check("campaign-sent")
    walk.open(campaign + "/recipients?q=c-1")
    walk.expect("APNs accepted it" in walk.text(), "a recipient is found")
    walk.check("recipients")
    print_form(walk, campaign)
    meaning(walk, app)
    by_keyboard(walk, app)
    walk.open("/console/approvals")
    walk.check("approvals")
