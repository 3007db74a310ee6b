"""Sums up the lines of JSON that the cluster's fault tests print, as one more: soak_cluster.py LOG."""

import json
import statistics
import sys

runs = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8") if line.startswith("{")]
takeovers = [run["secondsToTakeover"] for run in runs if "secondsToTakeover" in run]
total = {
    "suite": runs[0]["suite"] if runs else None,
    "runs": len(runs),
    "networks": sorted({run["network"] for run in runs}),
    "seconds": round(sum(run["seconds"] for run in runs), 1),
    "runsWithTakeover": len(takeovers),
    "shownTwice": sum(run["shownTwice"] for run in runs),
}
total["worstSecondsToEnd"] = max((run["secondsToEnd"] for run in runs), default=None)
for name in ("chunksLost", "chunksTakenOver", "repeated", "repeatsAllowed", "realerted"):
    total[name] = sum(run[name] for run in runs)
if takeovers:
    total["secondsToTakeover"] = {"median": statistics.median(takeovers), "longest": max(takeovers)}
print(json.dumps(total))
