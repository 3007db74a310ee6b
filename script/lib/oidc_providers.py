"""Signs in at the console of a server of its own with two identity providers of others: CARILLON.

Each provider runs on a free port of this machine, and ends with this program. It is walked as a browser without a script
walks it: forms, cookies and redirects.
"""
import html
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import httpx

PASSWORD = "three long words here"
NAME = "Test Staff"


def expect(condition: bool, text: str) -> None:
    print(f"    {'ok' if condition else 'NOT ok'}: {text}", flush=True)
    if not condition:
        raise SystemExit(1)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Processes:
    """Programs that end with this one."""

    def __init__(self) -> None:
        self.running: list[subprocess.Popen] = []

    def start(self, *command: str, log: str, **variables: str) -> subprocess.Popen:
        with open(log, "w") as errors:
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables},
            )
        self.running.append(process)
        return process

    def end(self, process: subprocess.Popen) -> None:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def end_all(self) -> None:
        for process in reversed(self.running):
            self.end(process)


class Browser:
    """Cookies, and forms with the token of the page that has them."""

    def __init__(self, console: str) -> None:
        self.console = console
        self.client = httpx.Client(follow_redirects=False, timeout=15, headers={"Accept-Language": "en"})
        self.page: httpx.Response

    def get(self, path: str) -> httpx.Response:
        self.page = self.client.get(urllib.parse.urljoin(self.console, path))
        return self.page

    def post(self, path: str, **form: str) -> httpx.Response:
        token = re.search(r'name="_csrf" value="([^"]+)"', self.page.text)
        self.page = self.client.post(
            urllib.parse.urljoin(self.console, path),
            data={"_csrf": token.group(1) if token else "", **form},
            headers={"Sec-Fetch-Site": "same-origin"},
        )
        return self.page

    def heading(self) -> str:
        found = re.search(r"<h1[^>]*>(.*?)</h1>", self.page.text, re.S)
        return html.unescape(re.sub("<[^>]+>", "", found.group(1))).strip() if found else ""

    def begin(self, path: str, **form: str) -> str:
        """Presses a button that leads to the provider; returns its address."""
        answer = self.post(path, **form)
        expect(answer.status_code == 200 and "refresh" in answer.headers, "the button leads to the provider")
        return answer.headers["refresh"].removeprefix("0;url=")

    def at_provider(self, address: str, login: str, password: str | None) -> httpx.Response:
        """Signs in at a provider, and follows it back to the console."""
        page = self.client.get(address)
        for _ in range(12):
            if page.is_redirect:
                place = str(page.url.join(page.headers["location"]))
                if place.startswith(self.console):
                    self.page = self.client.get(place)
                    return self.page
                page = self.client.get(place)
                continue
            names = set(re.findall(r'name="([^"]+)"', page.text))
            token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page.text)
            form = {"csrf_token": token.group(1)} if token else {}
            if "sub" in names:
                form["sub"] = login
            if "password" in names and password:
                form["password"] = password
            elif "login" in names:
                form["login"] = login
            elif "answer" in names:
                form["answer"] = "accept"
            page = self.client.post(str(page.url), data=form)
        raise SystemExit(f"The provider does not lead back: {page.status_code} {page.url}")


class Server:
    """A server whose console has the provider."""

    def __init__(self, processes: Processes, carillon: str, folder: str, port: int, issuer: str, *options: str) -> None:
        self.log = f"{folder}/log"
        secret = f"{folder}/secret"
        with open(secret, "w") as file:
            file.write("client secret\n")
        self.processes = processes
        self.command = [carillon, "serve", "--json", "--data", f"{folder}/data", "--port", str(port)]
        self.command += ["--console-oidc-issuer", issuer, "--console-oidc-client-id", "carillon"]
        self.command += ["--console-oidc-client-secret-file", secret, "--console-oidc-name", NAME, *options]
        self.console = f"http://127.0.0.1:{port}"
        self.announcement = self.start()

    def start(self) -> dict:
        self.process = self.processes.start(*self.command, log=self.log)
        line = self.process.stdout.readline()
        if not line:
            with open(self.log) as log:
                raise SystemExit(log.read())
        return json.loads(line)

    def restart(self) -> None:
        self.processes.end(self.process)
        self.start()

    def set_up(self) -> Browser:
        """Makes the first Operator, who has a password."""
        browser = Browser(self.console)
        with open(self.announcement["setupLinkFile"]) as file:
            link = urllib.parse.urlparse(file.read().strip()).path
        browser.get(link)
        browser.post(link, address="root@example.org", displayName="Root", password=PASSWORD)
        expect(browser.page.status_code == 303, "the first admin has a password")
        return browser


def break_glass(server: Server) -> None:
    server.restart()
    expect(True, "the server starts while the provider is down")
    browser = Browser(server.console)
    browser.get("/console/login")
    browser.post("/console/login/provider")
    expect(browser.page.status_code == 503, "while the provider is down its button says so")
    browser.get("/console/login")
    browser.post("/console/login", address="root@example.org", password=PASSWORD)
    place = browser.page.headers.get("location", "")
    expect(browser.page.status_code == 303 and "/login/second-factor" in place, "and the admin's password opens a session")


def with_mock(processes: Processes, carillon: str, folder: str) -> None:
    """oidc-provider-mock: groups become roles; somebody unknown is refused."""
    port, own = free_port(), free_port()
    issuer = f"http://127.0.0.1:{port}"
    ana = {"sub": "ana", "name": "Ana Ng", "email": "ana@example.org", "email_verified": True, "groups": ["news"]}
    program = os.path.join(os.path.dirname(sys.executable), "oidc-provider-mock")
    mock = processes.start(
        *[program, "--port", str(port), "--require-nonce", "true", "--user-claims", json.dumps(ana)],
        *["--user-claims", json.dumps({"sub": "eve", "groups": ["others"]})],
        log=f"{folder}/mock",
    )
    wait_for(issuer)
    options = ["--console-provision", "--console-group", "news=sender", "--console-passwords", "admins"]
    server = Server(processes, carillon, folder, own, issuer, *options)
    server.set_up()
    eve = Browser(server.console)
    eve.get("/console/login")
    expect(f"Sign in with {NAME}" in eve.page.text, "the page for signing in has the provider's button")
    eve.at_provider(eve.begin("/console/login/provider"), "eve", None)
    expect(eve.page.status_code == 403, "somebody without a role is refused")
    expect(eve.heading() == "Nobody here has this account", "and is told so")
    browser = Browser(server.console)
    browser.get("/console/login")
    browser.at_provider(browser.begin("/console/login/provider"), "ana", None)
    expect(browser.page.status_code == 303, "somebody whose group has a role is signed in")
    browser.get("/console/account")
    expect("Sender" in browser.page.text and "ana@example.org" in browser.page.text, "with the role of the group")
    refused = Browser(server.console)
    refused.get("/console/login")
    address = refused.begin("/console/login/provider")
    stranger = Browser(server.console)
    stranger.get("/console/login")
    stranger.at_provider(address, "ana", None)
    expect(stranger.page.status_code == 403, "another browser cannot end what this one began")
    processes.end(mock)
    break_glass(server)
    processes.end(server.process)


def with_canaille(processes: Processes, carillon: str, folder: str) -> None:
    """canaille: an invited Operator, a password at the provider, and a fresh authentication there."""
    port, own = free_port(), free_port()
    issuer = f"http://127.0.0.1:{port}"
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "oidc_canaille.py")
    back = f"http://127.0.0.1:{own}/console/login/provider/return"
    provider = processes.start(sys.executable, program, str(port), back, log=f"{folder}/canaille")
    provider.stdout.readline()
    options = ["--console-group", "news=editor", "--console-oidc-scope", "profile"]
    options += ["--console-oidc-scope", "email", "--console-oidc-scope", "groups", "--console-roles-follow-groups"]
    server = Server(processes, carillon, folder, own, issuer, *options)
    server.set_up()
    browser = Browser(server.console)
    browser.get("/console/login")
    browser.at_provider(browser.begin("/console/login/provider"), "ana", "correct horse battery")
    expect(browser.heading() == "Nobody here has this account", "an account that nobody invited is refused")
    link = invitation(server)
    invited = Browser(server.console)
    invited.client.cookies.update(browser.client.cookies)
    invited.get(link)
    address = invited.begin(link + "/provider")
    invited.at_provider(address, "ana", "correct horse battery")
    expect(invited.page.status_code == 303, "an invitation is accepted with the account")
    browser = Browser(server.console)
    browser.get("/console/login")
    browser.at_provider(browser.begin("/console/login/provider"), "ana", "correct horse battery")
    browser.get("/console/account")
    expect("Editor" in browser.page.text, "each sign-in sets the role of the group")
    browser.get("/console/login/again")
    expect(f"Confirm with {NAME}" in browser.page.text, "the provider can confirm who is there")
    address = browser.begin("/console/login/provider", purpose="again", next="/console/account")
    browser.at_provider(address, "ana", "correct horse battery")
    expect(browser.page.headers.get("location") == "/console/account", "which it did, with its password")
    processes.end(provider)
    break_glass(server)
    processes.end(server.process)


def invitation(server: Server) -> str:
    """Invites by the API; returns the path of the link."""
    with open(server.announcement["adminKeyFile"]) as file:
        key = file.read().strip()
    answer = httpx.post(
        f"{server.console}/v1/operators",
        headers={"Authorization": f"Bearer {key}", "Idempotency-Key": secrets.token_hex(8)},
        json={"address": "ana@example.org", "role": "viewer"},
        timeout=15,
    )
    if answer.status_code >= 300:
        raise SystemExit(f"No invitation: {answer.status_code} {answer.text}")
    found = re.search(r"/console/invite/[A-Za-z0-9_-]{43}", answer.text.replace("\\/", "/"))
    return found.group(0)


def wait_for(issuer: str) -> None:
    for _ in range(200):
        try:
            httpx.get(issuer + "/.well-known/openid-configuration", timeout=2)
            return
        except httpx.HTTPError:
            time.sleep(0.05)
    raise SystemExit(f"Nobody answers at {issuer}.")


def main() -> None:
    carillon = sys.argv[1]
    processes = Processes()
    try:
        for walk in [with_mock, with_canaille]:
            print(f"{walk.__doc__}", flush=True)
            with tempfile.TemporaryDirectory() as folder:
                walk(processes, carillon, folder)
    finally:
        processes.end_all()
    print("Both providers sign in as they must.")


main()
