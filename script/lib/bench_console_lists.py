#!/usr/bin/env python3
"""The console's lists and searches with many Devices (K-72): the first page, page 1,000, and each kind of search.

Imports DEVICES devices, signs the first Operator in, and asks for each page RUNS times. Prints one JSON line with the 95th
percentile of each, in milliseconds; page 1,000 has to be as fast as the first.
"""
import argparse
import base64
import hashlib
import hmac
import html
import http.client
import math
import os
import pathlib
import re
import struct
import time
import urllib.parse

from bench_bars import at_most, judged
from bench_world import World, print_json, say, write_devices

PASSWORD = "three long words here"
PAGE = 50


class Session:
    """A browser without pictures: it keeps cookies and sends forms with their token."""

    def __init__(self, port):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.cookies, self.page = {}, ""

    def ask(self, method, path, form=None):
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
                   "Origin": f"http://127.0.0.1:{self.port}", "Accept-Language": "en"}
        body = None
        if form is not None:
            hidden = re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', self.page)
            body = urllib.parse.urlencode({**{name: html.unescape(value) for name, value in hidden}, **form})
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        text = answer.read().decode()
        for field in answer.headers.get_all("Set-Cookie") or []:
            name, value = field.split(";")[0].split("=", 1)
            self.cookies[name] = value
        if answer.status == 303:
            return self.ask("GET", answer.headers["Location"])
        if answer.status != 200:
            raise SystemExit(f"{method} {path} answered {answer.status}")
        self.page = text
        return text

    def set_up(self, link):
        """Makes the first Operator, with a second factor."""
        path = urllib.parse.urlparse(link).path
        self.ask("GET", path)
        self.ask("POST", path, {"address": "ana@example.org", "displayName": "Ana", "password": PASSWORD})
        secret = re.search(r"<code>([A-Z2-7 ]+)</code>", self.page).group(1).replace(" ", "")
        digest = hmac.new(
            base64.b32decode(secret), struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
        place = digest[-1] & 15
        code = (struct.unpack(">I", digest[place:place + 4])[0] & 0x7FFFFFFF) % 1_000_000
        self.ask("POST", "/console/login/second-factor", {"code": f"{code:06}"})


def percentile(times):
    return round(sorted(times)[math.ceil(0.95 * len(times)) - 1] * 1_000, 1)


def measured(session, path, runs):
    """The 95th percentile of a page in milliseconds, after a first look."""
    session.ask("GET", path)
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        session.ask("GET", path)
        times.append(time.perf_counter() - begin)
    return percentile(times)


def page(session, path, number):
    """The address of a later page, by following its links."""
    for _ in range(number - 1):
        link = re.search(r'href="([^"]*)" rel="next"', session.ask("GET", path))
        if not link:
            raise SystemExit(f"{path} is the last page")
        path = html.unescape(link.group(1))
    return path


def measure(session, app, token, runs, last):
    """The milliseconds of each list and search of an App's Devices and Users."""
    devices, users = f"/console/apps/{app}/devices", f"/console/apps/{app}/users"
    device = re.search(r"/devices/([0-9a-f-]{36})\"", session.ask("GET", devices)).group(1)
    paths = {
        "devicesFirst": devices, "devicesLast": page(session, devices, last), "usersFirst": users,
        "usersLast": page(session, users, last), "searchUser": devices + "?q=u4711",
        "searchPrefix": devices + "?q=u47", "searchDevice": devices + "?q=" + device,
        "searchToken": devices + "?q=" + token, "searchPartOfToken": devices + "?q=" + token[:-2],
        "searchUsersPrefix": users + "?q=u4", "device": f"{devices}/{device}", "user": users + "/u4711",
    }
    return {name: measured(session, path, runs) for name, path in paths.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carillon", required=True, help="the release build of carillon")
    parser.add_argument("--devices", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--page", type=int, default=1_000)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    options = parser.parse_args()
    with World(options.carillon, options.store) as world:
        path = os.path.join(world.folder, "devices.csv")
        say("writing the file ...")
        write_devices(path, options.devices)
        with open(path, encoding="utf-8") as file:
            file.readline()
            token = file.readline().split(",")[0]
        say("importing ...")
        world.import_stopped(path)
        os.remove(path)
        world.start_nodes()
        line = world.nodes[0].line
        session = Session(line["port"])
        session.set_up(pathlib.Path(line["setupLinkFile"]).read_text(encoding="utf-8").strip())
        last = min(options.page, options.devices // PAGE)
        found = measure(session, world.app, token, options.runs, last)
        print_json(judged(
            {"bench": "console-lists", "store": options.store, "devices": options.devices, "page": last, **found},
            {name: at_most(100) for name in found}))


if __name__ == "__main__":
    main()
