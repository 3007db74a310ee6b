"""The pictures of docs/console.md: `script/console-walk --part gallery --images docs/console`."""
import base64
import concurrent.futures
import pathlib

from console_walk_live import control, post

TOPIC = "org.example.fun-art"
COUNT = 600
PLACES = [("zh-Hant", "Asia/Taipei")] * 6 + [("ja", "Asia/Tokyo")] * 2 + [("en", "America/New_York"), ("ko", "Asia/Seoul")]
CONTENT = {
    "default": {"title": "A new exhibition", "subtitle": "Pier-2 Art Center, Kaohsiung", "body": "Light and Shadow opens on Saturday. Entry is free until 18:00."},
    "zh-Hant": {"title": "新展覽", "subtitle": "高雄駁二藝術特區", "body": "「光與影」週六開幕，18:00 前免費入場。"},
    "ja": {"title": "新しい展覧会", "subtitle": "高雄・駁二芸術特区", "body": "「光と影」が土曜日に開幕します。18時まで入場無料です。"},
}


def make_world(walk):
    made = walk.api("/v1/apps", {"name": "瘋藝文", "bundleID": TOPIC, "identity": "open", "personalMessages": True,
                                 "sendGuards": {"confirmAbove": 100, "approveAbove": 10_000, "hold": 60}})
    app, key = made["app"]["id"], made["appKey"]
    with open(walk.apns["keyFile"], encoding="utf-8") as file:
        walk.api(f"/v1/apps/{app}/push-key", {
            "keyID": walk.apns["keyID"], "teamID": walk.apns["teamID"], "privateKey": file.read()}, "PUT")
    tokens = post(control(walk) + "/tokens", {"count": COUNT, "topic": TOPIC})["tokens"]
    for token in tokens[:12]:
        post(f"{control(walk)}/tokens/{token}/expire", {"timestamp": 4102444800000})
    headers = {"Carillon-App-Key": key, "Carillon-Device-Secret": "s" * 43}

    def register(place):
        language, zone = PLACES[place % len(PLACES)]
        post(f"{walk.url}/v1/devices/00000000-0000-4000-a000-{place:012}", {
            "token": tokens[place], "language": language, "timeZone": zone, "model": "iPhone15,3", "user": f"reader-{place}",
            "consent": {"notifications": place % 20 != 0, "ads": True}}, headers, "PUT")

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        list(pool.map(register, range(COUNT)))
    return app


def campaign(walk, app, name, **more):
    return walk.api(f"/v1/campaigns?app={app}", {
        "name": name, "audience": {"all": True}, "message": {"content": CONTENT}, **more})["id"]


def picture(walk, name, width=1280, height=860, top=None):
    if not walk.images:
        return
    walk.browser.call("Emulation.setScrollbarsHidden", hidden=True)
    walk.browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
    if top:
        walk.browser.value(f"window.scrollTo(0, document.querySelector({top!r}).getBoundingClientRect().top + scrollY - 24)")
    walk.browser.value("new Promise((done) => { setTimeout(done, 400); })")
    data = base64.b64decode(walk.browser.call("Page.captureScreenshot", format="webp", quality=72)["data"])
    walk.expect(len(data) < 80_000, f"the picture {name} is small: {len(data)} bytes")
    walk.images.mkdir(parents=True, exist_ok=True)
    pathlib.Path(walk.images / f"{name}.webp").write_bytes(data)
    walk.resize(1280)


def theme(walk, value):
    walk.open("/console/account")
    walk.fill({"theme": value})
    walk.press()


def walk(walk):
    app = make_world(walk)
    base = f"/console/apps/{app}"
    sent = f"{base}/campaigns/" + campaign(walk, app, "Night of the museums", pace={"perMinute": 6_000})
    draft = f"{base}/campaigns/" + campaign(walk, app, "Light and Shadow", draft=True)
    for _ in range(300):
        walk.open(sent)
        if walk.browser.value("document.querySelector('.state.good') !== null"):
            break
        walk.browser.value("new Promise((done) => { setTimeout(done, 200); })")
    picture(walk, "campaign")
    walk.open(draft + "/edit/audience")
    picture(walk, "audience", top="#estimate")
    walk.open(draft + "/edit/content")
    picture(walk, "content")
    walk.open(draft + "/edit/delivery")
    picture(walk, "delivery")
    walk.open(draft + "/edit/review")
    picture(walk, "review", top="#happens")
    campaign(walk, app, "Weekend in Kaohsiung", pace={"perMinute": 600})
    walk.open(base)
    walk.browser.until("document.querySelector('[data-live-status]').textContent.startsWith('Live')")
    walk.browser.value("new Promise((done) => { setTimeout(done, 9_000); })")
    picture(walk, "overview")
    walk.open("/console/system")
    picture(walk, "system")
    theme(walk, "dark")
    walk.open(draft + "/edit/content")
    picture(walk, "content-dark", width=390, height=860, top=".phone, [data-preview]")
    theme(walk, "light")
