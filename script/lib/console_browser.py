"""A browser of the console without pictures: it keeps cookies, sends forms with their token, and notes every answer."""
import base64
import hashlib
import hmac
import html.parser
import http.client
import struct
import time
import urllib.parse

PASSWORD = "three long words here"


def code(secret, step=0):
    """The code that an authenticator shows (RFC 6238), `step` half minutes from now."""
    count = struct.pack(">Q", int(time.time()) // 30 + step)
    digest = hmac.new(base64.b32decode(secret), count, hashlib.sha1).digest()
    place = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[place:place + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


class Page(html.parser.HTMLParser):
    """What a browser would see in a page: elements with their attributes, forms with their fields, and links."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.forms, self.links, self.texts = [], [], [], []
        self.form = self.choice = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        fields = {name: value or "" for name, value in attributes}
        self.elements.append((tag, fields))
        if tag == "a" and "href" in fields:
            self.links.append(fields["href"])
        if tag == "form":
            self.form = {"action": fields.get("action", ""), "method": fields.get("method", "get").lower(),
                         "type": fields.get("enctype", ""), "fields": []}
            self.forms.append(self.form)
        if self.form and tag in ("input", "textarea", "select", "button") and fields.get("name"):
            kind = fields.get("type", "submit" if tag == "button" else "text") if tag in ("input", "button") else tag
            self.form["fields"].append(
                {"name": fields["name"], "kind": kind, "value": fields.get("value", ""), "checked": "checked" in fields})
        if tag == "option" and self.form and self.form["fields"] and self.form["fields"][-1]["kind"] == "select":
            field = self.form["fields"][-1]
            if "selected" in fields or not field["value"]:
                field["value"] = fields.get("value", "")

    def handle_endtag(self, tag):
        if tag == "form":
            self.form = None

    def handle_data(self, data):
        self.texts.append(data)
        if self.form and self.form["fields"] and self.form["fields"][-1]["kind"] == "textarea":
            if self.lasttag == "textarea":
                self.form["fields"][-1]["value"] += data

    def sent(self, form, values):
        """The fields of a form as a browser sends them, with some values in place of those on the page."""
        pairs, buttons = [], []
        for field in form["fields"]:
            if field["kind"] in ("checkbox", "radio") and not field["checked"] and field["name"] not in values:
                continue
            if field["kind"] in ("submit", "file", "image"):
                buttons.append(field)
                continue
            pairs.append((field["name"], values.get(field["name"], field["value"])))
        if buttons and buttons[0]["kind"] == "submit" and not any(name == buttons[0]["name"] for name, _ in pairs):
            pairs.append((buttons[0]["name"], buttons[0]["value"]))
        return pairs


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def location(self):
        return self.headers.get("Location", "")

    @property
    def is_page(self):
        return self.headers.get("Content-Type", "").startswith("text/html")

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    @property
    def page(self):
        return Page(self.text)


class Browser:
    """One person's browser. `watch(method, path, answer)` sees each answer."""

    def __init__(self, port, watch=lambda *_: None):
        self.port, self.watch = port, watch
        self.cookies, self.token, self.connection = {}, "", None

    def copy(self):
        """The same session on a connection of its own."""
        other = Browser(self.port, self.watch)
        other.cookies, other.token = dict(self.cookies), self.token
        return other

    @property
    def session(self):
        return self.cookies.get("carillon-dev")

    def ask(self, method, path, body=None, headers=None):
        fields = {"Accept-Language": "en", "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if method not in ("GET", "HEAD"):
            fields["Sec-Fetch-Site"] = "same-origin"
        fields = {name: value for name, value in {**fields, **(headers or {})}.items() if value is not None}
        for attempt in (1, 2):
            try:
                if not self.connection:
                    self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=90)
                self.connection.request(method, path, body, fields)
                response = self.connection.getresponse()
                break
            except (http.client.RemoteDisconnected, ConnectionError, BrokenPipeError):
                self.connection = None
                if attempt == 2:
                    raise
        if response.headers.get("Content-Type", "").startswith("text/event-stream"):
            content = b""
            self.connection.close()
            self.connection = None
        else:
            content = response.read()
        answer = Answer(response.status, response.headers, content)
        for field in response.headers.get_all("Set-Cookie") or []:
            name, value = field.split(";")[0].split("=", 1)
            if "Max-Age=0" in field:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        self.watch(method, path, answer)
        return answer

    def get(self, path, headers=None):
        return self.ask("GET", path, None, headers)

    def post(self, path, fields=(), token=None, headers=None):
        """Sends a form, with the session's token unless another one is given ("" for none)."""
        pairs = list(fields.items()) if isinstance(fields, dict) else [pair for pair in fields if pair[0] != "_csrf"]
        token = self.token if token is None else token
        if token:
            pairs.append(("_csrf", token))
        return self.ask("POST", path, urllib.parse.urlencode(pairs), {
            "Content-Type": "application/x-www-form-urlencoded", **(headers or {})})

    def open(self, path):
        """Opens a page, follows where it leads, and keeps the session's token."""
        for _ in range(5):
            answer = self.get(path)
            if answer.status != 303:
                break
            path = answer.location
        if answer.is_page:
            for form in answer.page.forms:
                for field in form["fields"]:
                    if field["name"] == "_csrf":
                        self.token = field["value"]
        return answer

    # Entry

    def accept(self, link, fields=None):
        """Opens a link and sets the password; an authenticator too when it is asked for. Its secret and recovery codes."""
        path = urllib.parse.urlparse(link).path
        self.open(path)
        answer = self.post(path, {"password": PASSWORD, **(fields or {})})
        if answer.status != 303:
            raise SystemExit(f"{path.rsplit('/', 1)[0]} answered {answer.status}: {' '.join(answer.page.texts)[:500]}")
        return self.enrol(answer.location)

    def enrol(self, location):
        answer = self.open(location)
        if "second-factor" not in location:
            return None, []
        page = answer.page
        form = next(form for form in page.forms if form["action"].endswith("second-factor"))
        text = answer.text
        secret = text.split("<code>", 1)[1].split("</code>", 1)[0].replace(" ", "")
        answer = self.post(form["action"], page.sent(form, {"code": code(secret)}))
        codes = [part.split("</code>")[0] for part in answer.text.split("<li><code>")[1:]]
        self.open("/console/account")
        return secret, codes

    def sign_in(self, address, second=None):
        """Signs in with the password, and with a code or recovery code when there is one."""
        self.open("/console/login")
        answer = self.post("/console/login", {"address": address, "password": PASSWORD})
        if answer.status == 303 and "/login/code" in answer.location and second:
            self.open(answer.location)
            answer = self.post("/console/login/code", {"code": second})
        self.open("/console/account")
        return answer
