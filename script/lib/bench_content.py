"""Adds the bars of `script/bench content` to the lines of ContentBenchmark, from the standard input."""

import json
import sys

from bench_bars import at_least, at_most, judged

BARS = {
    # The 50 nearest of 100,000 places within 2 km, on one core.
    "content-near": {"perSecond": at_least(20_000)},
    # 50,000 stops and 2,000,000 stop times.
    "content-gtfs": {"seconds": at_most(60), "peakMiB": at_most(300)},
}

for text in sys.stdin:
    line = json.loads(text)
    bars = BARS.get(line["benchmark"])
    print(json.dumps(judged(line, bars) if bars else line), flush=True)
