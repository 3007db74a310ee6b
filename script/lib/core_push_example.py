"""Runs the example of a CORE PUSH back end against a server and a simulated APNs, and checks what it prints."""

import json
import urllib.parse
import urllib.request

from example_world import EXAMPLES, World, run

EXPECTED = [
    "to everybody: sent 2, failed 0, 本日19時開演",
    "to users: sent 2",
    "to a region: sent 1",
    "tomorrow's: cancelled",
    "history: 1, the last to all: 本日19時開演",
    "error: iphone_push_request.php: request_data[0].message is required.",
]


def register(url, config_key, token, user, categories):
    """Registers a token as a shipped app does: without a secret."""
    form = urllib.parse.urlencode({
        "config_key": config_key, "device_token": token, "mode": "1", "app_user_id": user, "category_id": categories})
    request = urllib.request.Request(f"{url}/iphone_token_regist.php", form.encode(), method="POST")
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert json.load(answer) == {"status": "0"}


def main():
    world, _ = World.of_command_line()
    keys = world.app_of_vendor("corepush")
    for index, (token, region) in enumerate(zip(world.tokens(2), ("神奈川", "東京"))):
        register(world.url, keys["key"], token, f"u-{index + 1}", json.dumps({"1": [region]}))
    base = world.url.replace("://", f"://corepush:{keys['secret']}@")
    run("the CORE PUSH back end", ["php", EXAMPLES + "/core-push/notify.php"], EXPECTED,
        {"PUSH_BASE": base, "PUSH_CONFIG_KEY": keys["key"]})


if __name__ == "__main__":
    main()
