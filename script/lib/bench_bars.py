"""What a line of a benchmark has to reach, printed with the line.

    print(json.dumps(judged({"bench": "events", "rate": {"median": rate}}, {"rate.median": at_least(50_000)})))

adds `"bar": {"rate.median": {"atLeast": 50000}}` and `"met": true` or `false`. `met` is true only when every bar is met.
A field that the line does not have, or that is no number, is an error: a bar that is not compared would always be met.
"""


def at_least(limit):
    return {"atLeast": limit}


def at_most(limit):
    return {"atMost": limit}


def value_at(line, path):
    for name in path.split("."):
        line = line[name]
    if isinstance(line, bool) or not isinstance(line, (int, float)):
        raise TypeError(f"{path} is {line!r}, no number that a bar can be compared with")
    return line


def is_met(value, bar):
    return value >= bar["atLeast"] if "atLeast" in bar else value <= bar["atMost"]


def judged(line, bars):
    """The line with its bars and whether all of them are met."""
    if not bars:
        raise ValueError("no bar is given")
    return {**line, "bar": bars, "met": all(is_met(value_at(line, path), bar) for path, bar in bars.items())}
