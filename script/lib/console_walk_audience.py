"""The composer's step Audience in a browser: K-29 and K-30."""
import json
import urllib.request

ROWS = """[...document.querySelectorAll("#estimate > .table tbody:first-of-type tr")].map(
  (r) => Number(r.querySelector("td").textContent.replace(/[^0-9]/g, "")))"""
# The first count answers after the second one, as on a slow way.
SLOW = """(() => {
  const real = window.fetch;
  let calls = 0;
  window.answered = 0;
  window.fetch = async (...rest) => {
    calls += 1;
    const isFirst = calls === 1;
    const answer = await real(...rest);
    if (isFirst) await new Promise((done) => { setTimeout(done, 2500); });
    window.answered += 1;
    return answer;
  };
  window.isHere = true;
})()"""


def make_world(walk):
    """An App with five Devices, one of which has notifications off; three speak Japanese."""
    made = walk.api("/v1/apps", {
        "name": "Whom", "bundleID": "org.example.whom", "identity": "open", "personalMessages": True})
    app, key = made["app"]["id"], made["appKey"]
    for number in range(1, 6):
        body = {
            "token": f"{number:02x}" * 32, "language": "ja" if number < 4 else "ko", "timeZone": "Asia/Tokyo",
            "consent": {"notifications": number > 1}, "user": f"w-{number}"}
        request = urllib.request.Request(
            f"{walk.url}/v1/devices/00000000-0000-4000-8000-00000000020{number}", json.dumps(body).encode(),
            {"Content-Type": "application/json", "Carillon-App-Key": key, "Carillon-Device-Secret": "s" * 43},
            method="PUT")
        urllib.request.urlopen(request, timeout=30).close()
    return app


def change(walk, name, value):
    """Changes a field as somebody does who types or chooses."""
    walk.browser.value(
        f"(e => {{ e.value = {json.dumps(value)}; e.dispatchEvent(new Event('input', {{ bubbles: true }})); }})"
        f"(document.getElementById({json.dumps(name)}))")


def has_rows(walk, first, last):
    walk.browser.until(f"(r => r.length > 2 && r[0] === {first} && r[r.length - 1] === {last})({ROWS})")


def walk(walk):
    app = make_world(walk)
    walk.open(f"/console/apps/{app}/campaigns")
    walk.press("form[action$='/campaigns'] button")
    walk.check("composer-audience-empty")
    walk.browser.value("window.isHere = true")
    change(walk, "who", "everyone")
    has_rows(walk, 5, 4)
    walk.expect(walk.browser.value("window.isHere === true"), "K-30 the estimate came without a new page")
    rows = walk.browser.value(ROWS)
    walk.expect(rows[0] - sum(rows[1:-1]) == rows[-1], f"K-29 the rows add up to the reach: {rows}")
    walk.browser.value(SLOW)
    change(walk, "g0.0.value", "ko")
    change(walk, "who", "everyone")
    walk.browser.until("window.answered === 0 && document.getElementById('estimate').classList.contains('waiting')")
    # The second one is begun while the first is on its way.
    walk.browser.until("(async () => { await new Promise(d => setTimeout(d, 900)); return true; })()")
    change(walk, "who", "rule")
    has_rows(walk, 2, 2)
    walk.browser.until("window.answered === 2")
    has_rows(walk, 2, 2)
    walk.expect(walk.browser.value(ROWS)[0] == 2, "K-30 a late answer does not replace a newer one")
    print("  K-29 K-30 the rows add up to the reach, which follows the rule without a new page; late answers are dropped", flush=True)
    for width in (320, 768, 1280):
        walk.resize(width)
        walk.check(f"composer-audience-{width}")
    walk.press("button[name=do][value=next]")
    walk.expect("/edit/content" in walk.browser.value("location.pathname"), "the next step follows")
