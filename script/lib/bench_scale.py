#!/usr/bin/env python3
"""The scale benchmark: the same campaign to 1,000 through 10,000,000 devices.

For each size a store of its own, RUNS campaigns to everybody, medians. Prints one JSON line a size and writes the plot.
"""
import argparse
import os

from bench_bars import at_most, judged
from bench_world import World, middle, print_json, say, write_devices

SIZES = [10**power for power in range(3, 8)]


def measure(options, size):
    with World(options.carillon, options.store) as world:
        path = os.path.join(world.folder, "devices.csv")
        write_devices(path, size)
        import_seconds = world.import_stopped(path)
        os.remove(path)
        world.start_nodes()
        world.send({"all": True}, size, 0)
        runs = [world.send({"all": True}, size, 0) for _ in range(options.runs)]
        return {
            "bench": "scale", "store": options.store, "devices": size, "runs": options.runs,
            "perSecond": round(middle(runs, "rate")), "microsecondsEach": round(1e6 / middle(runs, "rate"), 2),
            "serverMicrosecondsEach": middle(runs, "cpuMicroseconds", 2),
            "peakRssAnonMiB": round(max(run["rssAnonMiB"] for run in runs), 1),
            "importedPerSecond": round(size / import_seconds),
        }


def judged_against(rows):
    """The last line; from 10^5 devices on a notification may cost a fifth more than the cheapest of these sizes."""
    row = rows[-1]
    if row["devices"] < 100_000:
        return row
    least = min(other["serverMicrosecondsEach"] for other in rows if other["devices"] >= 100_000)
    return judged(
        {**row, "costAgainstLeast": round(row["serverMicrosecondsEach"] / least, 3)}, {"costAgainstLeast": at_most(1.2)})


def plot(path, rows):
    """Cost a notification and peak memory by the number of devices, as SVG."""
    left, width, top, height = 70, 520, 40, 220
    x = lambda row: left + width * rows.index(row) / (len(rows) - 1)
    costs = max(row["serverMicrosecondsEach"] for row in rows) * 1.2
    memory = max(row["peakRssAnonMiB"] for row in rows) * 1.2
    line = lambda name, most: " ".join(f"{x(row):.0f},{top + height * (1 - row[name] / most):.0f}" for row in rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 70} {top + height + 60}" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{left}" y="22" fill="#1f6feb">server µs a notification</text>',
        f'<text x="{left + width}" y="22" text-anchor="end" fill="#bf5b04">peak RssAnon, MiB</text>',
        f'<path d="M{left} {top}V{top + height}H{left + width}V{top}" fill="none" stroke="#888"/>',
    ]
    for row in rows:
        exponent = len(str(row["devices"])) - 1
        bottom = top + height
        parts.append(f'<text x="{x(row):.0f}" y="{bottom + 20}" text-anchor="middle">10<tspan dy="-5" '
                     f'font-size="9">{exponent}</tspan></text>')
        for name, most, color, shift in (("serverMicrosecondsEach", costs, "#1f6feb", -9),
                                         ("peakRssAnonMiB", memory, "#bf5b04", 18)):
            y = top + height * (1 - row[name] / most)
            parts.append(f'<circle cx="{x(row):.0f}" cy="{y:.0f}" r="3" fill="{color}"/><text x="{x(row):.0f}" '
                         f'y="{y + shift:.0f}" text-anchor="middle" fill="{color}" font-size="11">{row[name]}</text>')
    parts += [
        f'<polyline points="{line("serverMicrosecondsEach", costs)}" fill="none" stroke="#1f6feb" stroke-width="2"/>',
        f'<polyline points="{line("peakRssAnonMiB", memory)}" fill="none" stroke="#bf5b04" stroke-width="2"/>',
        f'<text x="{left + width / 2}" y="{top + height + 45}" text-anchor="middle">devices</text></svg>',
    ]
    with open(path, "w") as file:
        file.write("\n".join(parts) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--carillon", required=True, help="the release build of carillon")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--largest", type=int, default=10_000_000)
    parser.add_argument("--plot", help="where to write the plot")
    options = parser.parse_args()
    rows = []
    for size in SIZES:
        if size <= options.largest:
            say(f"{size} devices ...")
            rows.append(measure(options, size))
            print_json(judged_against(rows))
    if options.plot and len(rows) > 1:
        plot(options.plot, rows)


main()
