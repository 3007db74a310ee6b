"""The pages of settings in a browser, and a push key that is checked with the simulated APNs."""

TOPIC = "org.example.settings"


def set_key(walk, path):
    """Sets the simulator's key: pasted, as without the script that reads a file."""
    with open(walk.apns["keyFile"], encoding="utf-8") as file:
        text = file.read()
    walk.open(path + "/apns")
    walk.fill({"privateKey": text, "keyID": walk.apns["keyID"], "teamID": "TEAM000000"})
    walk.press("form.fields button")
    walk.expect("Apple does not accept" not in walk.text("h1"), "the page of the key comes")
    walk.expect(walk.browser.value("document.querySelector('.state.bad') !== null"), "K-77 a wrong team is told")
    walk.expect("wrong" in walk.text(".state.bad"), f"K-77 the cause is named: {walk.text()}")
    walk.fill({"privateKey": text, "keyID": walk.apns["keyID"], "teamID": walk.apns["teamID"]})
    walk.press("form.fields button")
    walk.expect("Healthy" in walk.text(), f"K-77 the key is healthy: {walk.text()}")
    walk.expect(walk.apns["teamID"] in walk.text(), "K-78 the key that passed is in use")
    walk.expect(text.split("\n")[1] not in walk.browser.value("document.documentElement.outerHTML"), "K-78 no key is shown")
    walk.press("main form.actions button.primary")
    walk.expect("The key was checked." in walk.text(), "the key is checked with a button")
    print("  K-77 K-78 a push key is checked, and replaced when it passed", flush=True)


def make_webhook(walk, path):
    walk.open(path + "/webhooks")
    walk.fill({"url": "https://hook.example.org/carillon"})
    walk.press()
    walk.expect("whsec_" in walk.text(), f"the secret is shown once: {walk.text()}")
    walk.check("settings-secret")
    walk.press("main a.primary")
    walk.expect("https://hook.example.org/carillon" in walk.text(), "the webhook's page comes")
    return walk.browser.value("location.pathname")


def walk(walk):
    app = walk.api("/v1/apps", {"name": "Settings", "bundleID": TOPIC, "identity": "open"})["app"]["id"]
    path = f"/console/apps/{app}/settings"
    if walk.apns:
        set_key(walk, path)
    webhook = make_webhook(walk, path)
    pages = {
        name: f"{path}/{name}" for name in (
            "general", "app-keys", "apns", "keys", "webhooks", "ads", "sending", "accounts", "user-messages", "vendor-apis",
            "retention", "delete")
    }
    pages["webhook"] = webhook
    pages["new-app"] = "/console/apps/new"
    for theme in ("light", "dark"):
        walk.open("/console/account")
        walk.fill({"theme": theme})
        walk.press()
        for width in (320, 768, 1280) if theme == "light" else (1280,):
            walk.resize(width)
            for name, address in pages.items():
                walk.open(address)
                walk.check(f"settings-{name}-{theme}-{width}")
    walk.resize(1280)
    walk.open("/console/account")
    walk.fill({"theme": "light"})
    walk.press()
    walk.open(path + "/retention")
    walk.fill({"events": "1"})
    walk.press()
    walk.expect(walk.browser.value("document.activeElement.matches('.problems')"), "the summary of problems has the focus")
    walk.expect(walk.browser.value("document.getElementById('events').value") == "1", "what was typed is kept")
    walk.check("settings-problem")
