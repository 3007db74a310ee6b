"""All pages of the console, found by following links: K-24, K-91, K-95 and K-98.

Each kind of page is looked at once: ids in its address stand for others of their kind.
"""
import json
import re
import time
import urllib.request

# Not followed: files, streams, signing out, and what leads out of the console.
LEFT_OUT = re.compile(r"^/console/(assets/|logout)|\.(csv|jsonl)(\?|$)|/live(\?|$)|^/v1/")
ID = re.compile(r"\b(app|cmp|opr|whk|aud|tpl|sta|key|imp|tag|cat)_[0-9a-z]+|[0-9a-f]{8}-[0-9a-f-]{27,}")
MOST = 150
# Colours change at once, so that none in between is looked at.
STILL = {"name": "prefers-reduced-motion", "value": "reduce"}

# What is wrong with the layout of a page, as a list of words; nothing of it depends on colours.
LAYOUT = r"""((wanted) => {
  const found = [];
  const root = document.documentElement;
  if (root.scrollWidth > wanted) {
    const wide = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > wanted + 1
      && !e.closest(".table"));
    found.push("sideways " + root.scrollWidth + ": " + wide.slice(0, 3).map((e) => e.outerHTML.slice(0, 100)).join(" | "));
  }
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const owner = node.parentElement;
    if (!node.data.trim() || !owner.checkVisibility({ visibilityProperty: true }) || owner.closest("svg, select, .skip, .table, details:not([open]) > :not(summary)")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.width > 1 && box.height > 1) texts.push([box, node.data.trim().slice(0, 40), owner]);
    }
  }
  // Text outside of what cuts it off.
  for (const [box, text, owner] of texts) {
    for (let e = owner; e && e !== document.body; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      if (style.overflowX === "auto" || style.overflowX === "scroll" || style.overflowY === "auto") break;
      const edge = e.getBoundingClientRect();
      // Text for those who hear the page alone.
      if (edge.width <= 2) break;
      if (box.right > edge.right + 1 || box.bottom > edge.bottom + 1 || box.left < edge.left - 1) found.push("cut: " + text);
      break;
    }
  }
  // Two texts in one place. Lines of one element touch each other.
  texts.sort((a, b) => a[0].top - b[0].top);
  for (let i = 0; i < texts.length; i += 1) {
    const [one, text, owner] = texts[i];
    for (let k = i + 1; k < texts.length && texts[k][0].top < one.bottom; k += 1) {
      const [other, more, holder] = texts[k];
      if (owner === holder || owner.closest(".switcher ul, dialog, nav") || holder.closest(".switcher ul, dialog, nav")) continue;
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (width > 3 && height > 6) found.push("overlap: " + text + " / " + more);
    }
  }
  return found.slice(0, 5);
})"""

SMALL = r"""[...document.querySelectorAll('button, input:not([type=hidden]), select, textarea, summary, nav a, .button, .tabs a')]
  .filter((e) => e.checkVisibility({ visibilityProperty: true }) && ((r) => r.width && (r.width < 24 || r.height < 24))(e.getBoundingClientRect()))
  .map((e) => e.outerHTML.slice(0, 120)).slice(0, 3)"""

CONTRAST = """axe.run(document, { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] },
  resultTypes: ["violations"] }).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => n.html.slice(0, 120) + " " + n.failureSummary.slice(0, 200))).slice(0, 3))"""

# Without colours a state is a word, and what can be pressed has an edge or is underlined.
STATES = r"""[...document.querySelectorAll(".state, nav a[aria-current], .tabs a[aria-current], button, .button, input:not([type=hidden]):not([type=checkbox]):not([type=radio]), select, textarea")]
  .filter((e) => e.checkVisibility({ visibilityProperty: true })).filter((e) => {
    const style = getComputedStyle(e);
    if (e.matches(".state") && !e.textContent.trim()) return true;
    const edges = ["Top", "Bottom", "Left", "Right"].some((side) => style["border" + side + "Style"] !== "none" && parseFloat(style["border" + side + "Width"]) > 0);
    return !edges && !style.textDecorationLine.includes("underline") && !e.matches(".quiet");
  }).map((e) => e.outerHTML.slice(0, 120)).slice(0, 3)"""


def send(walk, method, path, body, headers=None):
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    request = urllib.request.Request(
        walk.url + path, body, headers or {"Authorization": "Bearer " + walk.key, "Content-Type": "application/json"},
        method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
        return json.loads(text) if text else None


def fill(walk):
    """An App with something on each of its pages."""
    made = send(walk, "POST", "/v1/apps", {"name": "All pages", "bundleID": "org.example.pages", "identity": "open"})
    app, key = made["app"]["id"], made["appKey"]
    query = "?app=" + app
    with open(walk.apns["keyFile"], encoding="utf-8") as file:
        send(walk, "PUT", f"/v1/apps/{app}/push-key", {
            "keyID": walk.apns["keyID"], "teamID": walk.apns["teamID"], "privateKey": file.read()})
    for number in range(1, 4):
        send(walk, "PUT", f"/v1/devices/00000000-0000-4000-8000-00000000010{number}", {
            "token": f"{number:02x}" * 32, "language": "ko", "timeZone": "Asia/Seoul", "model": "iPhone15,3", "user": "ann-1",
            "consent": {"notifications": True, "ads": True}},
            {"Carillon-App-Key": key, "Carillon-Device-Secret": "s" * 43, "Content-Type": "application/json"})
    tag = send(walk, "POST", "/v1/tags" + query, {"name": "News"})["id"]
    send(walk, "POST", "/v1/users/ann-1/tags" + query, {"tags": [tag]})
    send(walk, "POST", "/v1/audiences" + query, {"name": "Readers", "rule": {"tag": tag}})
    statistics = send(walk, "POST", "/v1/statistics-ids" + query, {"name": "Autumn"})["id"]
    message = {"content": {"default": {"title": "The leaves fall", "body": "See them this week."}}}
    send(walk, "POST", "/v1/templates" + query, {"name": "Leaves", "message": message})
    campaign = {"audience": {"all": True}, "message": message}
    send(walk, "POST", "/v1/campaigns" + query, dict(campaign, name="Leaves", statisticsID=statistics))
    send(walk, "POST", "/v1/campaigns" + query, dict(campaign, name="Snow", sendAt=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 7 * 86_400))))
    send(walk, "POST", "/v1/campaigns" + query, dict(campaign, name="Rain", draft=True))
    send(walk, "POST", "/v1/webhooks" + query, {"url": "https://example.org/hook", "topics": ["campaign.finished"]})
    fields = [{"name": "id", "type": "text"}, {"name": "name", "type": "text", "isRequired": True, "isSearchable": True},
              {"name": "position", "type": "position"}]
    send(walk, "PUT", "/v1/content-sets/places" + query, {
        "version": 1, "title": "Places", "tables": [{"name": "places", "key": "id", "fields": fields}]})
    rows = "id,name,latitude,longitude\n1,Station,22.63,120.30\n2,Museum,22.61,120.29\n"
    send(walk, "POST", "/v1/content-sets/places/imports" + query + "&format=csv", rows.encode(), {
        "Authorization": "Bearer " + walk.key, "Content-Type": "text/csv"})
    send(walk, "PUT", "/v1/content-sets/places/sources/daily" + query, {
        "format": "csv", "url": "https://example.org/places.csv", "isActive": False})
    return app


def crawl(walk, app):
    """The addresses of all kinds of pages, with the status of each; the App's pages come first."""
    seen, found, kinds = set(), [], set()
    waiting = [f"/console/apps/{app}", "/console/"]
    while waiting and len(found) < MOST:
        path = waiting.pop(0)
        # Ids, cursors and what was chosen or typed make no other page.
        kind = ID.sub("ID", re.sub(r"=[^&]*", "=", path))
        if path in seen or kind in kinds:
            continue
        seen.add(path)
        kinds.add(kind)
        answer = walk.browser.value(f"""fetch({json.dumps(path)}).then(async (r) => {{
          const page = new DOMParser().parseFromString(await r.text(), "text/html");
          return {{ status: r.status, at: new URL(r.url).pathname,
            links: [...page.querySelectorAll("a[href]")].map((a) => a.getAttribute("href")) }};
        }})""")
        walk.expect(answer["status"] < 400, f"K-24 {path} is no dead link: {answer['status']}")
        # What leads on is no page of its own.
        if answer["at"] == path.split("?")[0]:
            found.append(path)
        else:
            waiting.append(answer["at"])
        for link in answer["links"]:
            link = link.split("#")[0]
            if link.startswith("/console") and not LEFT_OUT.search(link):
                waiting.append(link)
    walk.expect(len(found) < MOST, "K-24 the crawl ends")
    # What only reads the same page another way is not looked at again.
    pages = [path for path in found if "after=" not in path and "language=" not in path]
    return list({ID.sub("ID", path.split("?")[0]): path for path in reversed(pages)}.values())[::-1]


def pseudo(walk, path):
    """K-91: the pseudo-language, whose texts are longer, at three widths."""
    walk.open(path + ("&" if "?" in path else "?") + "language=en-XA")
    walk.expect(walk.browser.value("document.documentElement.lang") == "en-XA", f"{path} is in the pseudo-language")
    walk.browser.value("document.querySelectorAll('details:not(.switcher)').forEach((e) => { e.open = true; })")
    for width in (1280, 768, 320):
        walk.resize(width)
        wrong = walk.browser.value(f"{LAYOUT}({width})")
        walk.expect(not wrong, f"K-91 nothing is cut, overlaps or is too wide on {path} at {width}: {wrong}")


def colours(walk, path):
    """K-95: targets and contrast in both themes."""
    walk.resize(1280)
    small = walk.browser.value(SMALL)
    walk.expect(not small, f"K-95 targets on {path} are at least 24 × 24: {small}")
    walk.browser.value(walk.axe + "; true")
    for theme in ("light", "dark"):
        walk.browser.value(f"document.documentElement.dataset.theme = '{theme}'")
        poor = walk.browser.value(CONTRAST)
        walk.expect(not poor, f"K-95 texts on {path} reach 4.5:1 ({theme}): {poor}")


def zoomed(walk, path):
    """K-98: 400 % of a window of 1,280, with forced colours."""
    walk.browser.call("Emulation.setDeviceMetricsOverride", width=320, height=256, deviceScaleFactor=4, mobile=False)
    walk.browser.call("Emulation.setEmulatedMedia", features=[STILL, {"name": "forced-colors", "value": "active"}])
    walk.expect(walk.browser.value("matchMedia('(forced-colors: active)').matches"), "colours are forced")
    wrong = walk.browser.value(f"{LAYOUT}(320)") + walk.browser.value(STATES)
    walk.browser.call("Emulation.setEmulatedMedia", features=[STILL])
    walk.resize(1280)
    walk.expect(not wrong, f"K-98 {path} is usable at 400 % and without colours: {wrong}")


def luminance(colour):
    values = [int(colour.strip()[place:place + 2], 16) / 255 for place in (1, 3, 5)]
    parts = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in values]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def tokens(walk):
    """K-95: what marks and edges are drawn with; texts are looked at where they stand."""
    for theme in ("light", "dark"):
        walk.browser.value(f"document.documentElement.dataset.theme = '{theme}'")
        names = ["page", "surface", "raised", "text", "muted", "control", "accent", "good", "warn", "bad", "mark-2", "mark-3"]
        values = walk.browser.value(
            f"(s => Object.fromEntries({json.dumps(names)}.map(n => [n, s.getPropertyValue('--' + n)])))"
            "(getComputedStyle(document.documentElement))")
        for ground in ("page", "surface"):
            for name, least in [("text", 4.5), ("muted", 4.5), ("accent", 4.5), ("good", 4.5), ("warn", 4.5), ("bad", 4.5),
                                ("control", 3), ("mark-2", 3), ("mark-3", 3)]:
                one, other = luminance(values[ground]), luminance(values[name])
                ratio = (max(one, other) + 0.05) / (min(one, other) + 0.05)
                walk.expect(ratio >= least, f"K-95 {name} on {ground} ({theme}) reaches {least}: {ratio:.2f}")


def walk(walk):
    app = fill(walk)
    walk.browser.call("Emulation.setEmulatedMedia", features=[STILL])
    walk.open(f"/console/apps/{app}")
    tokens(walk)
    pages = crawl(walk, app)
    for path in pages:
        before = len(walk.browser.complaints)
        pseudo(walk, path)
        colours(walk, path)
        zoomed(walk, path)
        complaints = walk.browser.complaints[before:]
        walk.expect(not complaints, f"K-24 the browser complains of nothing on {path}: {complaints}")
        walk.count += 1
    walk.browser.call("Emulation.setEmulatedMedia", features=[])
    print(f"  K-24 K-91 K-95 K-98 {len(pages)} kinds of pages", flush=True)
