"""Compares what the programs print with the test vectors; with CARILLON, registers a device with each proof at a server."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid

PROGRAMS = {
    "python3": ["python3", "-B", "user_proof.py"],
    "node": ["node", "user-proof.mjs"],
    "php": ["php", "user_proof.php"],
    "ruby": ["ruby", "user_proof.rb"],
    "java": ["java", "UserProof.java"],
}


def proof(command, secret, *arguments):
    environment = {**os.environ, "CARILLON_IDENTITY_SECRET": secret}
    run = subprocess.run(
        [*command, *map(str, arguments)], env=environment, check=True, capture_output=True, text=True, timeout=60
    )
    return json.loads(run.stdout)


class Server:
    """A server with one App, in a folder of its own, that ends with the block."""

    def __init__(self, program):
        self.program = program

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        log = pathlib.Path(self.folder.name) / "log"
        self.process = subprocess.Popen(
            [self.program, "serve", "--data", f"{self.folder.name}/data", "--port", "0"],
            stdout=log.open("w"), stderr=subprocess.STDOUT, cwd=self.folder.name,
        )
        try:
            self.begin(log)
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self, log):
        # Standard output is no terminal: the key is in a file.
        admin = pathlib.Path(self.folder.name) / "data/admin.key"
        for _ in range(600):
            address = re.search(r"http://127\.0\.0\.1:\d+", log.read_text())
            if address and admin.exists() and admin.read_text().strip():
                self.address, self.key = address[0], admin.read_text().strip()
                break
            if self.process.poll() is not None:
                raise SystemExit(f"the server did not start:\n{log.read_text()}")
            time.sleep(0.05)
        else:
            raise SystemExit(f"the server names no address and key:\n{log.read_text()}")
        status, app = self.send("POST", "/v1/apps", {"name": "Proofs", "bundleID": "com.example.app"})
        if status != 201:
            raise SystemExit(f"the server makes no App: {status} {app}")
        self.app, self.app_key, self.secret = app["app"]["id"], app["appKey"], app["identitySecret"]

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        self.folder.cleanup()

    def send(self, method, path, body, **headers):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), method=method)
        request.add_header("Content-Type", "application/json")
        for name, value in (headers or {"Authorization": f"Bearer {self.key}"}).items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def register(self, user, proof):
        body = {
            "token": uuid.uuid4().hex * 2, "pushType": "apns", "language": "en", "timeZone": "Europe/Berlin",
            "consent": {"notifications": True}, "user": user, "userProof": proof,
        }
        headers = {"Carillon_App_Key": self.app_key, "Carillon_Device_Secret": "A" * 43}
        return self.send("PUT", f"/v1/devices/{uuid.uuid4()}", body, **headers)


def main():
    vectors = json.loads(pathlib.Path("test-vectors.json").read_text(encoding="utf-8"))
    programs = {name: command for name, command in PROGRAMS.items() if shutil.which(command[0])}
    for name in PROGRAMS.keys() - programs.keys():
        print(f"{name}: not tried, it is not installed")
    for name, command in programs.items():
        for vector in vectors:
            made = proof(command, vector["identitySecret"], vector["app"], vector["user"], vector["expires"])
            wanted = {"expires": vector["expires"], "signature": vector["signature"]}
            if made != wanted:
                sys.exit(f"{name}: {made} instead of {wanted}")
        print(f"{name}: {len(vectors)} test vectors")
    if "CARILLON" not in os.environ:
        return
    with Server(os.environ["CARILLON"]) as server:
        for name, command in programs.items():
            status, answer = server.register("김하나", proof(command, server.secret, server.app, "김하나"))
            if status not in (200, 201, 204):
                sys.exit(f"{name}: the server answers {status} {answer}")
            status, answer = server.register("somebody else", proof(command, server.secret, server.app, "김하나"))
            if (status, answer.get("code")) != (403, "wrong-user-proof"):
                sys.exit(f"{name}: the server takes another user's proof: {status} {answer}")
            print(f"{name}: accepted by the server, and for nobody else")


main()
