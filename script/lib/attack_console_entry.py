"""Attacks on entry and sessions, on redirects and paths, and races: what two requests at once may not get."""
import concurrent.futures
import http.client
import time
import urllib.parse

from attack_console_world import TOPIC
from console_browser import PASSWORD, code

ELSEWHERE = [
    "https://evil.example/", "//evil.example/console/", "/\\evil.example", "\\\\evil.example", "javascript:attack(1)",
    "/console/..//evil.example", "/console/../v1/apps", "/console//evil.example", "/console\\@evil.example", "/consolex",
    "/console/\r\nSet-Cookie: a=b", "/console/\t//evil.example", "http:evil.example",
    "/%5cevil.example", "///evil.example", "//console/", "data:text/html,x", "/console/./", " /console/",
]
AT_ONCE = 4


def at_once(count, work):
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, range(count)))


def redirects(attack, admin):
    """Each Location is looked at as it comes; here are addresses that would lead elsewhere."""
    browser = admin.browser.copy()
    stranger = attack.world.browser()
    for place in ELSEWHERE:
        query = urllib.parse.quote(place, safe="")
        for path in ("/console/login?next=", "/console/login/again?next=", "/console/login/code?next="):
            browser.get(path + query)
            answer = stranger.get(path + query)
            if answer.is_page and any(place == value for _, value in fields(answer.page, "next")):
                attack.find(f"{path}{query} keeps the address")
    # A right password, whose answer goes where the form says: passwords take long, so that few are tried.
    caller = attack.world.invite("led-away", "viewer")
    for place in ELSEWHERE[:3]:
        other = attack.world.browser()
        other.open("/console/login")
        answer = other.post("/console/login", {"address": caller.address, "password": PASSWORD, "next": place})
        if answer.location != "/console/":
            attack.find(f"a sign-in with next={place} leads to {answer.location}")
    for host in ("evil.example", "127.0.0.1:1@evil.example", f"localhost:{attack.world.port}"):
        for name in ("Host", "X-Forwarded-Host"):
            answer = stranger.get("/console/", {name: host})
            if host in answer.location or (answer.is_page and "evil.example" in answer.text):
                attack.find(f"{name}: {host} is in the answer")


def fields(page, name):
    return [(field["name"], field["value"]) for form in page.forms for field in form["fields"] if field["name"] == name]


def paths(attack, own, apps):
    """Other spellings of the address of an App that is not one's own."""
    browser, stranger = own.browser.copy(), attack.world.browser()
    for path in (
        f"/console/apps/{apps[0]}/../{apps[1]}", f"/console/apps/{apps[0]}/%2e%2e/{apps[1]}", f"//console/apps/{apps[1]}",
        f"/console//apps/{apps[1]}", f"/console/apps/{apps[0]}%2f..%2f{apps[1]}", f"/console/apps/{apps[1]}%00",
        f"/console/apps/{apps[1]};x", f"/console/apps/{apps[1]}/", f"/console/apps/{apps[1].upper()}", f"/CONSOLE/apps/{apps[1]}",
        f"/console/assets/../apps/{apps[1]}", f"/console/assets/%2e%2e/apps/{apps[1]}", "/console/assets/../../data/admin.key",
        "/console/assets/..%2f..%2fadmin.key", f"/console/apps/{apps[0]}/images/http%3A%2F%2F127.0.0.1%3A{attack.world.port}%2Fready",
        f"/console/apps/{apps[0]}/images/file%3A%2F%2F%2Fetc%2Fpasswd",
    ):
        for one in (browser, stranger):
            answer = one.get(path)
            if answer.status == 200:
                attack.find(f"{path} answers 200: {answer.text[:80]}")
    answer = stranger.get("/console/", {"Authorization": "Bearer " + attack.world.key})
    if answer.status != 303:
        attack.find(f"an API key at the console answers {answer.status}")
    for path in ("/v1/apps", "/v1/audit", f"/v1/campaigns?app={apps[0]}", "/v1/operators"):
        if browser.get(path).status != 401:
            attack.find(f"the session opens {path}")
    one = [browser.copy().get(f"/console/apps/{apps[1]}/live").status for _ in range(2)]
    if one != [404, 404]:
        attack.find(f"the stream of another App answers {one}")


def opens(attack, cookie, path="/console/account"):
    """Whether a session's value opens a page."""
    browser = attack.world.browser()
    browser.cookies["carillon-dev"] = cookie
    return browser.get(path).status == 200


def sessions(attack, admin, callers):
    """Values that somebody chose or knew before, and sessions after their end."""
    browser, chosen = attack.world.browser(), "A" * 43
    browser.cookies["carillon-dev"] = chosen
    browser.open("/console/login")
    before = browser.session
    answer = browser.post("/console/login", {"address": admin.address, "password": PASSWORD})
    half = browser.session
    browser.open(answer.location)
    browser.post("/console/login/code", {"code": admin.codes[0]})
    whole = browser.session
    if len({chosen, before, half, whole}) < 3 or whole in (chosen, before, half):
        attack.find("the session keeps its value when somebody signs in")
    for value, name in ((chosen, "chosen"), (before, "before the password"), (half, "before the code")):
        if opens(attack, value):
            attack.find(f"the session's value {name} opens a page")
    if not opens(attack, whole):
        attack.find("the session does not open a page")
    browser.open("/console/account")
    for name, token, headers in (("no token", "", {}), ("another site", None, {"Sec-Fetch-Site": "cross-site"})):
        for path in ("/console/logout", "/console/login", "/console/login/code", "/console/login/second-factor"):
            answer = browser.post(path, {"address": admin.address, "password": PASSWORD}, token, headers)
            if answer.status != 403:
                attack.find(f"POST {path} with {name} answers {answer.status}")
    if not opens(attack, whole):
        attack.find("a form of another site ended the session")
    browser.post("/console/logout")
    if opens(attack, whole):
        attack.find("the session opens a page after signing out")
    ended(attack, callers)
    links(attack)


def ended(attack, callers):
    """Another role, disabling and removing end a session at once."""
    for name, change in (("viewer", {"role": "editor"}), ("editor", {"isDisabled": True}), ("app-editor", None)):
        caller = next(one for one in callers if one.name == name)
        value = caller.browser.session
        if not opens(attack, value):
            attack.find(f"the session of {name} had ended before")
        attack.world.call("PATCH" if change else "DELETE", "/v1/operators/" + caller.id, change)
        if opens(attack, value):
            attack.find(f"the session of {name} opens a page after {change or 'removing'}")


def links(attack):
    """A used link, and one with another end."""
    for path in (urllib.parse.urlparse(attack.world.link).path, urllib.parse.urlparse(attack.world.used).path, "/console/reset/" + "A" * 43, "/console/invite/x"):
        browser = attack.world.browser()
        browser.open("/console/login")
        for answer in (browser.get(path), browser.post(path, {"password": PASSWORD, "address": "eve@example.org"})):
            if answer.status not in (404, 410):
                attack.find(f"the link {path.rsplit('/', 1)[0]} answers {answer.status}")


# Races

def races(attack, admin):
    invitation(attack)
    codes(attack)
    last_admin(attack, admin)
    double_send(attack, admin)
    streams(attack, admin)


def invitation(attack):
    """K-13: of requests at once with one link, one makes the Operator."""
    made = attack.world.call("POST", "/v1/operators", {"address": "race@example.org", "role": "viewer"})
    path = made["link"]["path"]
    browsers = [attack.world.browser() for _ in range(AT_ONCE)]
    for browser in browsers:
        browser.open(path)
    statuses = at_once(AT_ONCE, lambda place: browsers[place].post(path, {"password": PASSWORD + str(place)}).status)
    if statuses.count(303) != 1:
        attack.find(f"one invitation at once gives {statuses}")


def half_signed_in(attack, caller):
    """Sessions that wait for a code."""
    browsers = []
    for _ in range(4):
        browser = attack.world.browser()
        browser.open("/console/login")
        browser.open(browser.post("/console/login", {"address": caller.address, "password": PASSWORD}).location)
        browsers.append(browser)
    return browsers


def codes(attack):
    """K-10, K-11: a code, and a recovery code, is good once, also at once."""
    caller = attack.world.invite("codes", "sender")
    for name, value in (("code", code(caller.secret, 1)), ("recovery code", caller.codes[0])):
        browsers = half_signed_in(attack, caller)
        if name == "code":
            # The next half minute's: the one of now was used to set the authenticator up.
            time.sleep(30 - time.time() % 30 + 0.2)
            value = code(caller.secret)
        answers = at_once(4, lambda place: browsers[place].post("/console/login/code", {"code": value}))
        good = [answer for answer in answers if answer.status == 303 and "/login" not in answer.location]
        if len(good) != 1:
            attack.find(f"K-10 one {name} at once signs {len(good)} in: {[answer.status for answer in answers]}")


def last_admin(attack, admin):
    """K-22: two admins who want to be rid of each other at once; one stays."""
    for action, values in (("", {"role": "viewer"}), ("/disable", {}), ("/remove", {})):
        other = attack.world.invite("rival" + action.strip("/"), "admin")
        one, two = admin.browser.copy(), other.browser.copy()
        if one.open("/console/account").status != 200 or not admin.id:
            people = attack.world.call("GET", "/v1/operators?limit=100")["items"]
            admin.id = next(person["id"] for person in people if person["address"] == admin.address)
        others = [person for person in attack.world.call("GET", "/v1/operators?limit=100")["items"]
                  if person["role"] == "admin" and person["id"] not in (admin.id, other.id)]
        for person in others:
            attack.world.call("DELETE", "/v1/operators/" + person["id"])
        pairs = [(one, other.id), (two, admin.id)]
        for browser, person in pairs:
            browser.open("/console/operators/" + person)
        statuses = at_once(2, lambda place: pairs[place][0].post(f"/console/operators/{pairs[place][1]}{action}", values).status)
        people = attack.world.call("GET", "/v1/operators?limit=100")["items"]
        left = [person for person in people if person["role"] == "admin" and person["state"] == "active"]
        if len(left) != 1:
            attack.find(f"K-22 {action or 'roles'}: {len(left)} admins are left, answers {statuses}")
        if left and left[0]["id"] != admin.id:
            # The first one lost: the other one goes on.
            admin.id, admin.browser, admin.address, admin.codes = other.id, other.browser, other.address, other.codes
        admin.browser.open("/console/account")


def double_send(attack, admin):
    """K-52: one confirmation many times at once sends once."""
    world = attack.world
    made = world.call("POST", "/v1/apps", {"name": "Race", "bundleID": TOPIC, "identity": "open"})
    app, query = made["app"]["id"], "?app=" + made["app"]["id"]
    world.call("PUT", f"/v1/apps/{app}/push-key", {
        "keyID": world.apns["keyID"], "teamID": world.apns["teamID"],
        "privateKey": open(world.apns["keyFile"], encoding="utf-8").read()})
    world.call("PUT", "/v1/devices/00000000-0000-4000-8000-000000000201", {
        "token": world.tokens(f"http://{world.apns['host']}:{world.apns['controlPort']}/tokens")[0], "language": "en",
        "consent": {"notifications": True}},
        {"Carillon-App-Key": made["appKey"], "Carillon-Device-Secret": "s" * 43, "Content-Type": "application/json"})
    draft = world.call("POST", "/v1/campaigns" + query, {
        "name": "Once", "draft": True, "audience": {"all": True}, "purpose": "information",
        "message": {"content": {"default": {"title": "Leaves", "body": "The leaves fall."}}}})["id"]
    browser = admin.browser.copy()
    page = browser.open(f"/console/apps/{app}/campaigns/{draft}/edit/review").page
    form = next((form for form in page.forms if form["action"].endswith("/confirm")), None)
    if not form:
        return attack.find("the review of a draft has no form")
    for field in form["fields"]:
        field["checked"] = True
    pairs = page.sent(form, {"typed": "1"})
    browsers = [browser.copy() for _ in range(AT_ONCE)]
    answers = at_once(AT_ONCE, lambda place: browsers[place].post(form["action"], pairs))
    statuses = [answer.status for answer in answers]
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        funnel = world.call("GET", f"/v1/campaigns/{draft}/funnel" + query)
        if funnel.get("accepted"):
            break
        time.sleep(0.2)
    time.sleep(1)
    browser.post(form["action"], pairs)
    funnel = world.call("GET", f"/v1/campaigns/{draft}/funnel" + query)
    campaigns = world.call("GET", "/v1/campaigns" + query)["items"]
    if funnel.get("accepted") != 1 or len(campaigns) != 1 or any(status >= 500 for status in statuses):
        reasons = " ".join(answers[0].page.texts)[:300] if answers[0].is_page else ""
        attack.find(f"K-52 one confirmation at once: {statuses}, {len(campaigns)} Campaigns, {funnel} {reasons}")


def streams(attack, admin):
    """K-108: a seventh stream of a session is refused."""
    browsers = [admin.browser.copy() for _ in range(7)]
    statuses, responses = [], []
    for browser in browsers:
        connection = http.client.HTTPConnection("127.0.0.1", attack.world.port, timeout=10)
        connection.request("GET", "/console/live/system", headers={
            "Cookie": f"carillon-dev={browser.session}", "Accept": "text/event-stream"})
        response = connection.getresponse()
        attack.counts[attack.section] += 1
        statuses.append(response.status)
        responses.append((connection, response))
    for connection, _ in responses:
        connection.close()
    if statuses != [200] * 6 + [429]:
        attack.find(f"K-108 seven streams of a session answer {statuses}")
