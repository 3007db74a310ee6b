"""A node that is killed: K-85, with a PostgreSQL and two nodes of its own."""
import json
import os
import pathlib
import time

from bench_console_lists import Session
from bench_world import CONTENT, World, write_devices

DEVICES = 40_000
# What the reference allows, in seconds.
LOST_WITHIN = 30
# After its lease others take a Chunk over.
MOVED_WITHIN = 120

ROWS = """[...document.querySelectorAll("#nodes + .table tbody tr")].map((row) => ({
    state: row.querySelector("td").textContent.trim(),
    chunks: Number(row.querySelector("[data-live^=chunks]").textContent.replace(/[^0-9]/g, "")),
}))"""


def rows(walk, url):
    walk.browser.call("Page.navigate", url=url)
    walk.browser.until(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")
    return walk.browser.value(ROWS)


def until(walk, url, seconds, what, holds):
    """Loads the System page again until its nodes are so."""
    end = time.monotonic() + seconds
    while True:
        found = rows(walk, url)
        if holds(found):
            return found
        walk.expect(time.monotonic() < end, f"{what} within {seconds} s: {found}")
        time.sleep(0.5)


def sign_in(walk, world):
    """Signs the browser in at the first node, whose name is another one than that of the server of the other parts."""
    line = world.nodes[0].line
    session = Session(line["port"])
    session.set_up(pathlib.Path(line["setupLinkFile"]).read_text(encoding="utf-8").strip())
    url = f"http://localhost:{line['port']}"
    for name, value in session.cookies.items():
        walk.browser.call("Network.setCookie", name=name, value=value, url=url)
    return url + "/console/system"


def walk(walk):
    with World(os.environ["CARILLON"], "postgres", nodes=2, pinned=False) as world:
        path = os.path.join(world.folder, "devices.csv")
        write_devices(path, DEVICES)
        world.import_stopped(path)
        world.start_nodes()
        system = sign_in(walk, world)
        world.control.call("POST", "/faults", {"latencyMilliseconds": 4_000})
        campaign = world.post({"content": CONTENT}, {"all": True})
        until(walk, system, 60, "K-85 both nodes have leases", lambda found: len(found) == 2 and all(
            row["chunks"] for row in found))

        killed = time.monotonic()
        world.nodes[1].process.kill()
        lost = until(walk, system, LOST_WITHIN, "K-85 the killed node is lost", lambda found: [
            row["state"] for row in found].count("Lost") == 1)
        seconds = time.monotonic() - killed
        # Not looked at by axe: the page loads itself again while the nodes change.
        number = [row["state"] for row in lost].index("Lost")
        until(walk, system, MOVED_WITHIN, "K-85 its leases move", lambda found: not found[number]["chunks"])
        world.control.call("POST", "/faults", {"latencyMilliseconds": 0})
        end = time.monotonic() + MOVED_WITHIN
        while world.api.call("GET", campaign)["state"] != "sent":
            walk.expect(time.monotonic() < end, "K-85 the other node sends all of it")
            time.sleep(0.2)
        accepted = world.control.call("GET", "/stats")["distinctTokensAccepted"]
        walk.expect(accepted == DEVICES, f"K-85 the other node sends all of it: {accepted}")
        print(f"  K-85 a killed node is lost on the System page after {seconds:.0f} s, and the other one sends all", flush=True)
