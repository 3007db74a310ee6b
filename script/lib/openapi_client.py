"""Runs the examples of the generated clients against a server and a simulated APNs, and checks what they print."""

import argparse
import sys

from example_world import EXAMPLES, World, execute, run

PYTHON = [
    "devices imported: 2",
    "attributes of u-1 {'name': 'Ada'}",
    "attributes of u-2 {'name': 'Grace'}",
    "users: ['u-1', 'u-2']",
    "devices: 2",
    "would reach 2 devices",
    "sent: sent",
    "targeted 2 accepted 2 failed {}",
    "campaigns: ['Tonight']",
]

TYPESCRIPT = [
    "devices imported: 2",
    "user u-1 { name: 'Ada' } devices 1",
    "user u-2 { name: 'Grace' } devices 1",
    "users: [ 'u-1', 'u-2' ]",
    "problems: [] would reach 2 devices",
    "sent: sent",
    "targeted 2 accepted 2 failed {}",
    "campaigns: [ 'Tonight' ]",
]


def refuse(command, environment):
    """Runs an example against a server that does not take its key: it has to say so."""
    result = execute(command, environment)
    if result.returncode == 0 or "401" not in result.stderr:
        sys.exit(f"{command[0]} ended with {result.returncode} where the key is wrong: {result.stdout}{result.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--newsletter-js", required=True, help="the example in TypeScript, compiled")
    world, options = World.of_command_line(parser)
    for language, command, expected in (
        ("Python", [sys.executable, "-W", "error", EXAMPLES + "/python/newsletter.py"], PYTHON),
        ("TypeScript", ["node", options.newsletter_js], TYPESCRIPT),
    ):
        environment = {
            "CARILLON_SERVER": world.url, "CARILLON_API_KEY": world.key, "CARILLON_APP": world.app(language)}
        refuse(command, {**environment, "CARILLON_API_KEY": world.key[:-4] + "0000"})
        run(f"the example of the client in {language}", command, expected, environment)


if __name__ == "__main__":
    main()
