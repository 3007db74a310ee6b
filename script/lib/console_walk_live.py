"""Pages whose numbers move, while a Campaign is sent for a minute: K-60, K-62, K-86, K-96 and K-106."""
import concurrent.futures
import json
import socket
import threading
import time
import urllib.parse
import urllib.request

TOPIC = "org.example.live"
COUNT = 1_900
PER_MINUTE = 1_200
TOO_MANY = 40
LATE = 60

# From the first byte on: how much the page moved, and when the live region spoke.
WATCH = """(() => {
  window.shift = 0;
  window.moved = [];
  window.spoken = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      window.shift += entry.value;
      const moved = entry.sources.map((s) => s.node && (s.node.outerHTML ?? s.node.textContent).slice(0, 60));
      window.moved.push([entry.value, moved.slice(0, 3)]);
    }
  }).observe({ type: "layout-shift", buffered: true });
  const wait = setInterval(() => {
    const voice = document.querySelector(".voice[role=status]");
    if (!voice) return;
    clearInterval(wait);
    new MutationObserver(() => { window.spoken.push([performance.now(), voice.textContent]); })
      .observe(voice, { childList: true, characterData: true, subtree: true });
  }, 20);
})()"""

NUMBERS = """Object.fromEntries([...document.querySelectorAll("[data-live]")].map((e) => [e.dataset.live, e.textContent]))"""
STATUS = """document.querySelector("[data-live-status]").textContent"""


class Way:
    """A way to the server that can be cut, as when a network is lost."""

    def __init__(self, address):
        self.address = address
        self.port = 0
        self.pairs = []
        self.open()

    def open(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def accept(self, listener):
        while True:
            try:
                near, _ = listener.accept()
                far = socket.create_connection(self.address)
            except OSError:
                return
            self.pairs += [near, far]
            threading.Thread(target=self.carry, args=(near, far), daemon=True).start()
            threading.Thread(target=self.carry, args=(far, near), daemon=True).start()

    @staticmethod
    def carry(source, target):
        try:
            while part := source.recv(65_536):
                target.sendall(part)
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for one in self.pairs:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()
        self.pairs = []


def post(url, body=None, headers=None, method="POST"):
    request = urllib.request.Request(
        url, None if body is None else json.dumps(body).encode(), {"Content-Type": "application/json", **(headers or {})},
        method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
        return json.loads(text) if text else None


def make_world(walk):
    """An App with phones at the simulated APNs, and a Campaign that is sent for more than a minute."""
    made = walk.api("/v1/apps", {"name": "Live", "bundleID": TOPIC, "identity": "open", "personalMessages": True})
    app, key = made["app"]["id"], made["appKey"]
    with open(walk.apns["keyFile"], encoding="utf-8") as file:
        walk.api(f"/v1/apps/{app}/push-key", {
            "keyID": walk.apns["keyID"], "teamID": walk.apns["teamID"], "privateKey": file.read()}, "PUT")
    tokens = post(control(walk) + "/tokens", {"count": COUNT, "topic": TOPIC})["tokens"]
    headers = {"Carillon-App-Key": key, "Carillon-Device-Secret": "s" * 43}

    def register(place):
        post(f"{walk.url}/v1/devices/00000000-0000-4000-9000-{place:012}", {
            "token": tokens[place], "language": "en", "consent": {"notifications": True}, "user": f"l-{place}"}, headers, "PUT")

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        list(pool.map(register, range(COUNT)))
    campaign = walk.api(f"/v1/campaigns?app={app}", {
        "name": "Long one", "audience": {"all": True}, "pace": {"perMinute": PER_MINUTE},
        "message": {"content": {"default": {"title": "Slowly", "body": "One after the other"}}}})
    return f"/console/apps/{app}/campaigns/{campaign['id']}"


def control(walk):
    return f"http://{walk.apns['host']}:{walk.apns['controlPort']}"


def number(text):
    return int("".join(filter(str.isdigit, text)) or 0)


def wait(seconds):
    time.sleep(seconds)


def pause(walk):
    """K-96: numbers stand still while updates are paused, and go on afterwards."""
    walk.browser.value("document.querySelector('.live button').click()")
    before = walk.browser.value(NUMBERS)
    wait(5)
    walk.expect(walk.browser.value(NUMBERS) == before, "K-96 no number changes while updates are paused")
    walk.expect("Not live" in walk.browser.value(STATUS), "K-96 the page says that it is paused")
    walk.browser.value("document.querySelector('.live button').click()")
    walk.browser.until(f"JSON.stringify({NUMBERS}) !== {json.dumps(json.dumps(before))} && {STATUS}.startsWith('Live')")


def cut(walk, way):
    """K-62: what a page says whose stream is cut, and that it comes back by itself."""
    begin, complaints = time.monotonic(), len(walk.browser.complaints)
    way.cut()
    walk.browser.until("document.querySelector('[data-live-status]').textContent.startsWith('Not live')")
    took = time.monotonic() - begin
    walk.expect(took < 15, f"K-62 the page says within 15 s that it is not live: {took:.1f} s")
    before = walk.browser.value(NUMBERS)
    way.open()
    walk.browser.until(f"{STATUS}.startsWith('Live') && JSON.stringify({NUMBERS}) !== {json.dumps(json.dumps(before))}")
    # The browser tells what it could not reach.
    walk.browser.complaints[complaints:] = [
        one for one in walk.browser.complaints[complaints:] if not one.startswith("Failed to load resource: net::ERR_")]
    print(f"  K-62 without its stream the page says so after {took:.0f} s, and is live again by itself", flush=True)


def lanes(walk):
    """The lanes of the page of the server, each by the heads of its columns."""
    walk.open("/console/system")
    return walk.browser.value("""(() => {
      const table = document.querySelector("#lanes + .table");
      const heads = [...table.querySelectorAll("th[scope=col]")].map((e) => e.textContent);
      return [...table.querySelectorAll("tbody tr")].map((r) => Object.fromEntries([...r.children].map((c, i) => [heads[i], c.textContent])));
    })()""")


def agree(walk, what, shown, real):
    walk.expect(real > 0 and abs(shown - real) <= 0.05 * real, f"K-86 {what} agree within 5 %: {shown} shown, {real:.1f} at APNs")
    return f"{what} {shown}/{real:.0f}"


def system(walk):
    """K-86: the page of the server beside the numbers of the simulated APNs."""
    def stats():
        return post(control(walk) + "/stats", method="GET")

    def total(name):
        return sum(number(lane[name].split(" of ")[0]) for lane in lanes(walk))

    def answered():
        return (lambda found: found["accepted"] + found["rejected"])(stats())

    def next_burst():
        """Notifications leave once a second: how many were answered when the next ones begin, and the time."""
        before = answered()
        while answered() == before:
            wait(0.01)
        return before, time.monotonic()

    (first, begin), shown = next_burst(), []
    for _ in range(3):
        # A node looks every five seconds.
        wait(5)
        shown.append(total("Answers a second"))
    last, end = next_burst()
    rate = (last - first) / (end - begin)
    found = [
        agree(walk, "answers a second", sorted(shown)[1], rate),
        agree(walk, "429s", total("429"), stats()["results"]["TooManyRequests"]),
        agree(walk, "connections", total("Connections"), stats()["connectionsOpen"]),
    ]
    # Requests whose answers are late stay in use.
    post(control(walk) + "/faults", {"latencyMilliseconds": 25_000, "topic": TOPIC, "count": LATE})
    end = time.monotonic() + 15
    while True:
        # A node looks every five seconds; the number at APNs must stand meanwhile.
        before, shown, after = stats()["streamsOpen"], total("Streams in use"), stats()["streamsOpen"]
        if before == after == LATE and shown > 0 and abs(shown - after) <= 0.05 * after or time.monotonic() > end:
            break
        wait(0.2)
    found.append(agree(walk, "streams", shown, after))
    print("  K-86 the page of the server and APNs: " + ", ".join(found), flush=True)


def walk(walk):
    page = make_world(walk)
    post(control(walk) + "/faults", {
        "kind": "answer", "status": 429, "reason": "TooManyRequests", "topic": TOPIC, "count": TOO_MANY})
    host = urllib.parse.urlsplit(walk.url)
    way = Way((host.hostname, host.port))
    direct, walk.url = walk.url, f"http://127.0.0.1:{way.port}"
    script = walk.browser.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)["identifier"]
    try:
        walk.open(page)
        begin = time.monotonic()
        walk.browser.until(f"{STATUS}.startsWith('Live')")
        before = walk.browser.value(NUMBERS)
        walk.browser.until(f"JSON.stringify({NUMBERS}) !== {json.dumps(json.dumps(before))}")
        print("  K-60 numbers rise without a new page", flush=True)
        pause(walk)
        cut(walk, way)
        wait(max(0, 60 - (time.monotonic() - begin)))
        shift, spoken = walk.browser.value("window.shift"), walk.browser.value("window.spoken")
        walk.expect(shift < 0.02, f"K-106 a page moves by less than 0.02 in a minute of sending: {shift:.4f} {walk.browser.value('window.moved')}")
        print(f"  K-106 the page moved by {shift:.4f} in a minute of sending", flush=True)
        times = [at for at, _ in spoken]
        walk.expect(spoken and all(b - a >= 9_900 for a, b in zip(times, times[1:])),
                    f"K-96 the live region speaks at most once in ten seconds: {spoken}")
        print(f"  K-96 paused numbers stand still; the live region spoke {len(spoken)} times in a minute", flush=True)
    finally:
        walk.browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
        walk.url = direct
    system(walk)
