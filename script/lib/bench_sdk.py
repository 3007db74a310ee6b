"""The benchmark of the SDK in an app: its bytes, and its time at launch."""
import bisect
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

from bench_bars import at_most, judged

SIMULATED = {"UserNotifications", "UIKit", "PushKit", "CallKit", "CoreLocation", "WebKit"}
EVENTS, RUNS = 1_000, 51


def lines(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def stripped(binary, folder):
    target = os.path.join(folder, os.path.basename(binary))
    subprocess.run(["strip", "-o", target, binary], check=True)
    return os.path.getsize(target)


class Symbols:
    """The symbols that take space in a file, by the Swift module that their mangled names begin with."""

    def __init__(self, binary):
        found = {}
        for line in lines("nm", "-S", binary):
            match = re.fullmatch(r"(\w+) (\w+) [^bB] \$s(\d+)(.*)", line)
            if match:
                found[int(match[1], 16)] = (int(match[2], 16), match[4][:int(match[3])])
        self.starts = sorted(found)
        self.found = found

    def module(self, address):
        at = bisect.bisect_right(self.starts, address) - 1
        if at < 0:
            return None
        size, module = self.found[self.starts[at]]
        return module if address < self.starts[at] + size else None

    def bytes(self, modules):
        return sum(size for size, module in self.found.values() if module in modules)


def bytes_of(binary, modules):
    """What these modules take in a file: symbols, and of each the unwinding table and the relocations."""
    symbols = Symbols(binary)
    total = symbols.bytes(modules)
    for line in lines("readelf", "--debug-dump=frames", binary):
        match = re.match(r"\w+ (\w+) \w+ FDE .* pc=(\w+)\.\.", line)
        if match and symbols.module(int(match[2], 16)) in modules:
            total += int(match[1], 16) + 4 + 8  # its length field, and its line in the table that is searched
    for line in lines("readelf", "--relocs", "--wide", binary):
        match = re.match(r"(\w{16})  ", line)
        if match and symbols.module(int(match[1], 16)) in modules:
            total += 24
    return total


def main():
    binaries = sys.argv[1]
    app = os.path.join(binaries, "WithSDK")
    with tempfile.TemporaryDirectory() as folder:
        added = stripped(app, folder) - stripped(os.path.join(binaries, "WithoutSDK"), folder)
        simulated = bytes_of(app, SIMULATED)
        subprocess.run([app, "fill", folder, str(EVENTS)], check=True)
        times = []
        for _ in range(RUNS):
            output = subprocess.run([app, "start", folder], capture_output=True, text=True, check=True).stdout
            waiting, nanoseconds = map(int, output.split())
            if waiting != EVENTS:
                sys.exit(f"{waiting} events wait instead of {EVENTS}")
            times.append(nanoseconds / 1e6)
    print(json.dumps(judged({
        "bench": "sdk", "addedBytes": added - simulated, "simulatedFrameworksBytes": simulated,
        "events": EVENTS, "runs": RUNS, "startMilliseconds": round(statistics.median(times), 3),
        "startMillisecondsMost": round(max(times), 3),
    }, {"addedBytes": at_most(1_500_000), "startMilliseconds": at_most(5)})))


main()
