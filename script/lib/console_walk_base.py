"""What all pages have: K-09, K-94, K-97 and K-103."""
import json
import urllib.parse

FIRST_VISIT, NEXT_VISIT = 100_000, 25_000
MOVED = "(() => { window.isHere = true; })()"


def key(walk, text):
    """Presses a key of a letter or sign."""
    walk.browser.call("Input.dispatchKeyEvent", type="keyDown", key=text, text=text)
    walk.browser.call("Input.dispatchKeyEvent", type="keyUp", key=text)


def path(walk):
    return walk.browser.value("location.pathname")


def marks(walk, app):
    """K-09: the word of a sandbox in the header and in the most important button of the App's pages."""
    base = f"/console/apps/{app}"
    seen = 0
    for page in ("", "/campaigns", "/templates", "/templates/new", "/categories", "/content-sets", "/statistics/ids",
                 "/settings/general", "/settings/apns", "/settings/keys", "/settings/webhooks", "/settings/test-devices"):
        walk.open(base + page)
        walk.expect(walk.text("header.top .environment") == "Sandbox", f"K-09 the header of {page} says that it is a sandbox")
        plain = walk.browser.value(
            "[...document.querySelectorAll('main .primary')].filter(e => !e.textContent.includes('Sandbox')).map(e => e.outerHTML)")
        walk.expect(not plain, f"K-09 the important button of {page} has the word: {plain}")
        seen += walk.browser.value("document.querySelectorAll('main .primary').length")
    walk.expect(seen >= 10, f"K-09 there are important buttons: {seen}")
    print(f"  K-09 the header of an App's pages and {seen} important buttons say that it is a sandbox", flush=True)


def problems(walk, app):
    """K-94: a form with problems, from the summary to the field."""
    walk.open(f"/console/apps/{app}/settings/retention")
    walk.fill({"events": "99999999", "messages": "soon"} if walk.browser.value("!!document.getElementById('messages')")
              else {"events": "soon"})
    walk.press()
    walk.expect(walk.browser.value("document.activeElement.matches('.problems')"), "K-94 the summary of problems has the focus")
    walk.expect(walk.browser.value("document.title").startswith("Error: "), "K-94 the title says that there is an error")
    links = walk.browser.value("[...document.querySelectorAll('.problems a')].map(a => a.getAttribute('href').slice(1))")
    walk.expect(links, "K-94 the summary has links")
    for field in links:
        told = walk.browser.value(f"""((e) => e && e.getAttribute("aria-invalid") === "true"
          && (e.getAttribute("aria-describedby") ?? "").split(" ").some((id) => document.getElementById(id)?.matches(".problem")))
          (document.getElementById({json.dumps(field)}))""")
        walk.expect(told, f"K-94 the field {field} names its message")
    walk.browser.value("document.querySelector('.problems a').focus()")
    walk.browser.press("Enter")
    walk.browser.until(f"document.activeElement.id === {json.dumps(links[0])}")
    walk.expect(walk.browser.value(f"document.getElementById({json.dumps(links[0])}).value") in ("99999999", "soon"),
                "K-94 what was typed is kept")
    print("  K-94 a failing form: the focus on its summary, from there to the fields, which name their messages", flush=True)


def shortcuts(walk, app):
    """K-97: keys that lead to pages and to the search, but not while somebody types, nor when they are off."""
    home = f"/console/apps/{app}"

    def stays(what):
        walk.browser.value("new Promise((done) => { setTimeout(done, 400); })")
        walk.expect(walk.browser.value("window.isHere") and path(walk) == home, f"K-97 shortcuts do nothing {what}")

    walk.open(home)
    walk.browser.value("document.body.focus()")
    key(walk, "/")
    walk.browser.until("document.activeElement.id === 'find'")
    walk.browser.value(MOVED)
    for letter in ("g", "c", "?"):
        key(walk, letter)
    stays("in a field")
    walk.expect(walk.browser.value("document.getElementById('find').value") == "gc?", "K-97 what is typed stays in the field")
    walk.expect(not walk.browser.value("document.getElementById('keys').open"), "K-97 no list opens over a field")
    walk.browser.value("document.activeElement.blur()")
    key(walk, "?")
    walk.browser.until("document.getElementById('keys').open")
    walk.browser.value("document.getElementById('keys').close()")
    key(walk, "g")
    key(walk, "c")
    walk.browser.until(f"location.pathname === {json.dumps(home + '/campaigns')} && document.readyState === 'complete'")
    walk.open("/console/account")
    walk.browser.value("document.querySelector('[data-keys] input').click()")
    walk.open(home)
    walk.browser.value(MOVED)
    for letter in ("/", "g", "c", "?"):
        key(walk, letter)
    stays("when they are off")
    walk.expect(walk.browser.value("document.activeElement === document.body && !document.getElementById('keys').open"),
                "K-97 neither the search nor the list opens when they are off")
    walk.open("/console/account")
    walk.browser.value("document.querySelector('[data-keys] input').click()")
    print("  K-97 shortcuts do nothing in fields, and nothing when they are off", flush=True)


def weight(walk, paths):
    """K-103: the bytes of visits, heads of answers included, and where they come from."""
    most = [0, 0]
    for page in paths:
        walk.browser.call("Network.clearBrowserCache")
        for place, other in enumerate((page, paths[0] if page != paths[0] else paths[1])):
            walk.browser.events = []
            walk.open(other)
            # The icon comes after the page.
            walk.browser.value("new Promise((done) => { setTimeout(done, 150); })")
            events, walk.browser.events = walk.browser.events, None
            bytes_ = sum(e["params"]["encodedDataLength"] for e in events if e["method"] == "Network.loadingFinished")
            asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
            foreign = [url for url in asked if urllib.parse.urlsplit(url)[:2] != urllib.parse.urlsplit(walk.url)[:2]]
            walk.expect(asked and not foreign, f"K-103 no request of {other} goes to another origin: {foreign}")
            limit = (FIRST_VISIT, NEXT_VISIT)[place]
            walk.expect(0 < bytes_ <= limit, f"K-103 visit {place + 1} of {other} is at most {limit} bytes: {bytes_}")
            most[place] = max(most[place], bytes_)
    print(f"  K-103 first visits take {most[0]} bytes at most, next ones {most[1]}; no other origin is asked", flush=True)


def walk(walk):
    app = walk.api("/v1/apps", {"name": "All alike", "bundleID": "org.example.base", "identity": "open"})["app"]["id"]
    base = f"/console/apps/{app}"
    marks(walk, app)
    problems(walk, app)
    shortcuts(walk, app)
    weight(walk, [base, "/console/", base + "/campaigns", base + "/settings/general", base + "/statistics", "/console/system",
                  "/console/account", "/console/audit"])
