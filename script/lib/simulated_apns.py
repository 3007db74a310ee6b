"""What benchmarks need to know of the simulator that script/lib/simulator_benchmark.sh started."""

import base64
import json
import os
import re
import subprocess
import time
import urllib.request

folder, pid = os.environ["FOLDER"], os.environ["SIMULATOR"]
place = json.load(open(f"{folder}/out"))
control = f"http://127.0.0.1:{place['controlPort']}"

PAYLOAD = (
    '{"aps":{"alert":{"title":"Autumn sale","body":"Everything at half price until Sunday."},"sound":"default",'
    '"mutable-content":1},"carillon":{"o":"01JABCDEFGHJK","r":"abcdef"}}'
)


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def provider_token():
    header = encode(json.dumps({"alg": "ES256", "kid": place["keyID"]}).encode())
    claims = encode(json.dumps({"iss": place["teamID"], "iat": int(time.time())}).encode())
    signed = f"{header}.{claims}"
    # OpenSSL signs in DER, which Apple takes too.
    command = ["openssl", "dgst", "-sha256", "-sign", place["keyFile"], "-binary"]
    signature = subprocess.run(command, input=signed.encode(), capture_output=True, check=True).stdout
    return f"{signed}.{encode(signature)}"


def fields():
    return {
        "authorization": f"bearer {provider_token()}",
        "apns-topic": "com.example.app",
        "apns-push-type": "alert",
        "apns-priority": "10",
        "apns-expiration": "0",
        "apns-collapse-id": "01JABCDEFGHJK",
        "apns-id": "123e4567-e89b-12d3-a456-426614174000",
    }


def stats():
    return json.load(urllib.request.urlopen(f"{control}/stats"))


def reset():
    urllib.request.urlopen(urllib.request.Request(f"{control}/reset", method="POST"))


def cpu_seconds():
    values = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")


def rss_anon():
    return int(re.search(r"RssAnon:\s+(\d+)", open(f"/proc/{pid}/status").read())[1]) / 1024


def seconds_of(h2load_output):
    number, unit = re.search(r"finished in ([\d.]+)(ms|s|m),", h2load_output).groups()
    return float(number) * {"ms": 0.001, "s": 1, "m": 60}[unit]


def h2load(requests, connections, streams):
    """The command that sends valid notifications from core 0; the folder holds urls and payload."""
    command = ["taskset", "-c", "0", "h2load", "-n", str(requests), "-c", str(connections), "-m", str(streams)]
    command += ["-t", "1", "-i", f"{folder}/urls", "-d", f"{folder}/payload"]
    for name, value in fields().items():
        command += ["-H", f"{name}: {value}"]
    return command


def write_requests(tokens, generator):
    with open(f"{folder}/urls", "w") as file:
        for _ in range(tokens):
            file.write(f"https://127.0.0.1:{place['port']}/3/device/{generator.getrandbits(256):064x}\n")
    open(f"{folder}/payload", "w").write(PAYLOAD)
