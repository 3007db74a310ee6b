"""The benchmark of the SDK in an app: its bytes, and its time at launch."""
import collections
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

SIMULATED = {"UserNotifications", "UIKit", "PushKit", "CallKit", "CoreLocation", "WebKit"}
EVENTS, RUNS = 1_000, 51


def stripped(binary, folder):
    target = os.path.join(folder, os.path.basename(binary))
    subprocess.run(["strip", "-o", target, binary], check=True)
    return os.path.getsize(target)


def bytes_by_module(binary):
    """Sizes of symbols by the Swift module that their mangled names begin with."""
    sizes = collections.Counter()
    for line in subprocess.run(["nm", "-S", binary], capture_output=True, text=True, check=True).stdout.splitlines():
        match = re.fullmatch(r"\w+ (\w+) \w \$s(\d+)(.*)", line)
        if match:
            sizes[match[3][:int(match[2])]] += int(match[1], 16)
    return sizes


def main():
    binaries = sys.argv[1]
    app = os.path.join(binaries, "WithSDK")
    with tempfile.TemporaryDirectory() as folder:
        added = stripped(app, folder) - stripped(os.path.join(binaries, "WithoutSDK"), folder)
        simulated = sum(size for module, size in bytes_by_module(app).items() if module in SIMULATED)
        subprocess.run([app, "fill", folder, str(EVENTS)], check=True)
        times = []
        for _ in range(RUNS):
            output = subprocess.run([app, "start", folder], capture_output=True, text=True, check=True).stdout
            waiting, nanoseconds = map(int, output.split())
            if waiting != EVENTS:
                sys.exit(f"{waiting} events wait instead of {EVENTS}")
            times.append(nanoseconds / 1e6)
    print(json.dumps({
        "bench": "sdk", "addedBytes": added - simulated, "simulatedFrameworksBytes": simulated, "barBytes": 1_500_000,
        "events": EVENTS, "runs": RUNS, "startMilliseconds": round(statistics.median(times), 3),
        "startMillisecondsMost": round(max(times), 3), "barMilliseconds": 5,
    }))


main()
