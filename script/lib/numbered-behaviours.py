#!/usr/bin/env python3
"""Counts the numbered behaviours whose tests passed: reads a log of `swift test`, prints one line a family.

A test's display name begins with its numbers: "T-14 ...", or several joined by commas. A behaviour counts when every
test that names it passed. Ends with 1 when a test that names a number did not pass.
"""
import re
import sys

families = {
    "T": "TOAST Push", "C": "CORE PUSH", "R": "CORE RESEARCH", "I": "notification actions", "M": "COIMOTION",
    "A": "Apple's side", "P": "provider", "S": "surveys", "K": "console", "X": "imports",
}
line_pattern = re.compile(r'Test "((?:[A-Z]-\d+[,; ]+(?:and )?)+)[^"]*" (?:with \d+ test cases? )?(passed|failed)')
passed, failed = set(), set()
for line in open(sys.argv[1], errors="replace"):
    found = line_pattern.search(line)
    if found:
        numbers = re.findall(r"[A-Z]-\d+", found.group(1))
        (passed if found.group(2) == "passed" else failed).update(numbers)
passed -= failed
print("Numbered behaviours that passed:")
for family, name in families.items():
    count = len([number for number in passed if number.startswith(family + "-")])
    if count:
        print(f"  {family}  {count:4}  {name}")
if failed:
    print("Failed: " + " ".join(sorted(failed)))
sys.exit(1 if failed else 0)
