"""Drives a headless Chromium through steps and tells what came of each, as a line of JSON.

    browser.py CHROMIUM STEPS

STEPS is JSON: a list of objects with one of
    {"goto": URL}
    {"until": EXPRESSION}             waits until it is true; fails after 20 seconds
    {"value": EXPRESSION}             tells its value
    {"run": [PROGRAM, ARGUMENT ...]}  runs a program, and tells its output
    {"key": NAME}                     presses a key: Tab, Enter
    {"dark": true}                    prefers the dark colours
    {"screenshot": FILE, "width": 1280, "height": 900}
At the end it tells what the console complained of, violations of the Content-Security-Policy among it.

The browser's own protocol (https://chromedevtools.github.io/devtools-protocol/) is spoken over a pipe: messages end
with a zero byte, come in on descriptor 3 and go out on descriptor 4.
"""
import base64
import json
import os
import select
import subprocess
import sys
import tempfile
import time


class Browser:
    def __init__(self, program, folder):
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()

        def hand_over():
            # Above 4 first, so that neither end overwrites the other.
            source, target = os.dup(to_browser), os.dup(from_browser)
            first, second = os.dup2(source, 100), os.dup2(target, 101)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--remote-debugging-pipe", "--user-data-dir=" + folder, "--force-device-scale-factor=1", "about:blank"],
            preexec_fn=hand_over, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.pending = b""
        self.last = 0
        self.session = None
        self.complaints = []
        # What the browser tells, while somebody counts it.
        self.events = None

    def read(self, deadline):
        while b"\0" not in self.pending:
            wait = deadline - time.monotonic()
            if wait <= 0 or not select.select([self.read_end], [], [], wait)[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.read_end, 1 << 16)
            if not part:
                raise EOFError("the browser has ended")
            self.pending += part
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 30
        while True:
            answer = self.read(deadline)
            if answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def note(self, event):
        if self.events is not None:
            self.events.append(event)
        if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning"):
            self.complaints.append(event["params"]["entry"]["text"])
        if event.get("method") == "Runtime.exceptionThrown":
            details = event["params"]["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))

    def attach(self):
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if self.is_true(expression):
                return True
            time.sleep(0.02)
        raise TimeoutError(f"never true: {expression}; complaints: {self.complaints}")

    def is_true(self, expression):
        try:
            return self.value(expression)
        except RuntimeError as problem:
            # The page was left while the expression ran: the next page answers for itself.
            if "Inspected target navigated or closed" in str(problem):
                return False
            raise

    def press(self, key):
        text = {"Enter": "\r"}.get(key)
        code = {"Tab": 9, "Enter": 13}[key]
        down = {"type": "keyDown" if text else "rawKeyDown", "key": key, "code": key, "windowsVirtualKeyCode": code}
        if text:
            down["text"] = text
        self.call("Input.dispatchKeyEvent", **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def screenshot(self, file, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        time.sleep(0.3)
        picture = self.call("Page.captureScreenshot", format="png")
        with open(file, "wb") as out:
            out.write(base64.b64decode(picture["data"]))

    def take(self, step):
        if "goto" in step:
            self.call("Page.navigate", url=step["goto"])
            return self.until("document.readyState === 'complete' && location.href !== 'about:blank'")
        if "until" in step:
            return self.until(step["until"])
        if "value" in step:
            return self.value(step["value"])
        if "run" in step:
            return subprocess.run(step["run"], capture_output=True, text=True, timeout=60).stdout
        if "key" in step:
            return self.press(step["key"])
        if "dark" in step:
            scheme = {"name": "prefers-color-scheme", "value": "dark" if step["dark"] else "light"}
            return self.call("Emulation.setEmulatedMedia", features=[scheme])
        return self.screenshot(step["screenshot"], step.get("width", 1280), step.get("height", 900))


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(sys.argv[1], folder)
        try:
            browser.attach()
            for step in json.loads(sys.argv[2]):
                print(json.dumps(browser.take(step)), flush=True)
            print(json.dumps(browser.complaints), flush=True)
        finally:
            browser.process.kill()
            browser.process.wait()


if __name__ == "__main__":
    main()
