"""How an Operator comes in with a passkey and with a pasted password, and how the end of a session is told.

The Operator is one of its own, at `localhost`: browsers have no passkeys for an address without a name, and the cookies of the
other parts are those of 127.0.0.1.
"""
import http.client
import http.server
import threading

ADDRESS = "pia@example.org"
PASSWORD = "four more long words"


class Forger(http.server.BaseHTTPRequestHandler):
    """A page that looks like the console, since it is the console: it passes everything on, as a page that steals does."""
    target = None

    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        connection = http.client.HTTPConnection("127.0.0.1", self.target, timeout=20)
        fields = {name: value for name, value in self.headers.items() if name not in ("Host", "Accept-Encoding", "Connection")}
        connection.request(
            self.command, self.path, self.rfile.read(length) if length else None,
            {**fields, "Host": f"localhost:{self.target}"})
        answer = connection.getresponse()
        body = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        connection.close()

    do_POST = do_GET

    def log_message(self, *_):
        pass


def paste(walk, name, text):
    """Copies a text from a field of the test's own, and pastes it with the keyboard."""
    browser = walk.browser

    def command(*commands):
        browser.call("Input.dispatchKeyEvent", type="rawKeyDown", key="v", code="KeyV", commands=list(commands))
        browser.call("Input.dispatchKeyEvent", type="keyUp", key="v", code="KeyV")

    browser.value("(e => { document.body.append(e); e.id = 'source'; e.focus(); })(document.createElement('textarea'))")
    browser.call("Input.insertText", text=text)
    command("selectAll", "copy")
    browser.value(f"document.getElementById('source').remove(); document.getElementById('{name}').focus()")
    command("selectAll", "paste")
    walk.expect(browser.value(f"document.getElementById('{name}').value") == text, f"K-15 {name} takes a pasted text")


def fills(walk, expected):
    """What a password manager is told of the page's fields."""
    for name, value in expected.items():
        found = walk.browser.value(f"document.querySelector('[name={name}]')?.autocomplete")
        walk.expect(found == value, f"K-15 {name} is {value}: {found}")


def accept(walk, link):
    walk.open(link)
    fills(walk, {"displayName": "name", "password": "new-password", "username": "username"})
    walk.fill({"displayName": "Pia"})
    paste(walk, "password", PASSWORD)
    walk.check("entry-invite")
    walk.press()
    walk.expect(walk.browser.value("location.pathname") == "/console/", "K-15 the pasted password is set")
    walk.open("/console/account/password")
    fills(walk, {"password": "current-password", "newPassword": "new-password", "username": "username"})
    paste(walk, "password", PASSWORD)
    paste(walk, "newPassword", PASSWORD + "!")
    walk.open("/console/account")
    fills(walk, {"displayName": "name"})


def sign_out(walk):
    walk.press(".person button")
    walk.expect("You are signed out." in walk.text(), "the session has ended")


def sign_in(walk):
    walk.open("/console/login")
    fills(walk, {"address": "username", "password": "current-password"})
    paste(walk, "address", ADDRESS)
    paste(walk, "password", PASSWORD)
    walk.press()
    walk.expect(walk.browser.value("location.pathname") == "/console/", f"K-15 pasted texts sign in: {walk.text()}")
    print("  K-15 pasted passwords, and what fields are for", flush=True)


def register(walk):
    for theme in ("light", "dark"):
        walk.open("/console/account")
        walk.fill({"theme": theme})
        walk.press()
        for width in (320, 768, 1280):
            walk.resize(width)
            walk.open("/console/account/passkeys/new")
            walk.check(f"entry-passkey-new-{theme}-{width}")
    walk.expect(walk.browser.value("document.querySelector('[data-passkey-none]').hidden"), "K-12 the browser has passkeys")
    walk.fill({"name": "Test phone"})
    walk.press("form.passkey button")
    walk.expect("Recovery codes" in walk.text("h1"), f"K-12 the passkey is registered: {walk.text()}")
    walk.press("main a.primary")
    walk.expect("Test phone" in walk.text(), "K-12 the account has the passkey")
    walk.check("entry-account")
    path = walk.browser.value("document.querySelector('main td a').getAttribute('href')")
    walk.open(path)
    walk.check("entry-passkey")
    walk.fill({"name": "Phone of the test"})
    walk.press()
    walk.expect("Phone of the test" in walk.text(), "K-12 the passkey is renamed")
    return path


def use(walk):
    walk.open("/console/login")
    walk.check("entry-login")
    walk.press("form.passkey button")
    walk.expect(walk.browser.value("location.pathname") == "/console/", f"K-12 a passkey signs in: {walk.text()}")
    walk.expect(walk.text(".person a") == "Pia", "K-12 it signs its owner in")


def forge(walk, authenticator):
    """The same browser with the same passkey, at a page of another origin that passes everything on."""
    url = walk.url
    Forger.target = int(url.rsplit(":", 1)[1])
    forger = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forger)
    threading.Thread(target=forger.serve_forever, daemon=True).start()
    try:
        walk.url = f"http://localhost:{forger.server_port}"
        walk.open("/console/login")
        walk.press("form.passkey button")
        used = walk.browser.call("WebAuthn.getCredentials", authenticatorId=authenticator)["credentials"][0]["signCount"]
        walk.expect(used >= 2, f"K-12 the passkey signed for the other origin: {used}")
        walk.expect("was not accepted" in walk.text(), f"K-12 the other origin is refused: {walk.text()}")
        walk.open("/console/account")
        walk.expect(walk.text("h1") == "Sign in", "K-12 nobody is signed in")
    finally:
        walk.url = url
        forger.shutdown()
        forger.server_close()
    print("  K-12 a passkey signs in, and does not for another origin", flush=True)


def stay(walk):
    """The browser's clock is moved; the server's is not."""
    walk.open("/console/account")
    walk.fill({"displayName": "Pia, unsaved"})
    shown = "!document.querySelector('.ending').hidden"
    walk.browser.value("window.real = Date.now; window.later = 0; Date.now = () => window.real() + window.later")
    walk.browser.value("window.later = 57 * 60e3; new Promise((done) => setTimeout(done, 1300))")
    walk.expect(not walk.browser.value(shown), "K-99 three minutes before the end nothing is told")
    walk.browser.value("window.later = 58 * 60e3 + 5e3")
    walk.browser.until(shown)
    walk.expect("less than two minutes" in walk.text(".ending p"), "K-99 two minutes before the end it is told")
    walk.check("entry-ending")
    walk.browser.value("document.querySelector('.ending button').focus()")
    walk.browser.press("Enter")
    walk.browser.until("document.querySelector('.ending').hidden")
    walk.expect(walk.browser.value("document.getElementById('displayName').value") == "Pia, unsaved", "K-99 what was typed stays")
    walk.browser.value("window.later += 57 * 60e3; new Promise((done) => setTimeout(done, 1300))")
    walk.expect(not walk.browser.value(shown), "K-99 the session lasts an hour more")
    walk.browser.value("window.later += 4 * 60e3")
    walk.browser.until(shown + " && document.querySelector('.ending form').hidden")
    walk.expect("has ended" in walk.text(".ending p"), "K-99 the end is told too")
    print("  K-99 the end of a session is told, and put off", flush=True)


def walk(walk):
    url = walk.url
    made = walk.api("/v1/operators", {"address": ADDRESS, "role": "viewer"})
    browser = walk.browser
    browser.call("WebAuthn.enable")
    authenticator = browser.call("WebAuthn.addVirtualAuthenticator", options={
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
        "isUserVerified": True, "automaticPresenceSimulation": True,
    })["authenticatorId"]
    walk.open("/console/login?next=/console/account")
    walk.expect(browser.value("document.querySelector('form.passkey') === null"), "K-12 an address without a name has none")
    try:
        walk.url = url.replace("127.0.0.1", "localhost")
        accept(walk, made["link"]["path"])
        sign_out(walk)
        sign_in(walk)
        path = register(walk)
        sign_out(walk)
        use(walk)
        stay(walk)
        sign_out(walk)
        forge(walk, authenticator)
        use(walk)
        walk.open(path)
        walk.press("main button.danger")
        walk.expect("Phone of the test" not in walk.text(), "K-12 the passkey is removed")
    finally:
        walk.url = url
        walk.resize(1280)
    browser.call("WebAuthn.removeVirtualAuthenticator", authenticatorId=authenticator)
    browser.call("WebAuthn.disable")
