"""A back end as it was written for TOAST Push (NHN Cloud Push): only the host name is another one.

It tags a person, sends to the tag and to the person, reserves a message, and prints what became of them.
"""

import json
import os
import time
import urllib.parse
import urllib.request

HOST = os.environ["PUSH_HOST"]  # was https://api-push.cloud.toast.com
APP_KEY = os.environ["PUSH_APP_KEY"]
SECRET_KEY = os.environ["PUSH_SECRET_KEY"]


class PushError(Exception):
    """A call whose header is not successful."""


def call(method, path, body=None, **query):
    """Sends a call of v2.4 and returns its answer."""
    url = f"{HOST}/push/v2.4/appkeys/{APP_KEY}/{path}"
    if query:
        url += "?" + urllib.parse.urlencode(query)
    request = urllib.request.Request(
        url, None if body is None else json.dumps(body).encode(), method=method,
        headers={"Content-Type": "application/json;charset=UTF-8", "X-Secret-Key": SECRET_KEY})
    with urllib.request.urlopen(request, timeout=30) as answer:
        answer = json.load(answer)
    header = answer["header"]
    if not header["isSuccessful"]:
        raise PushError(f"{header['resultCode']} {header['resultMessage']}")
    return answer


def message(target, title, **more):
    """A message for a target."""
    content = {"default": {"title": title, "body": "Doors open at seven", "event": 7}, "ko": {"title": "오늘 밤"}}
    return {"target": target, "content": content, "messageType": "NOTIFICATION", "timeToLiveMinute": 10, **more}


def tag_id(name):
    """The id of a tag, which is made if it is not there."""
    for tag in call("GET", "tags", tagName=name)["tags"]:
        if tag["tagName"] == name:
            return tag["tagId"]
    return call("POST", "tags", {"tagName": name})["tag"]["tagId"]


def wait(message_id):
    """Waits until a message is over and returns it."""
    for _ in range(300):
        found = call("GET", f"messages/{message_id}")["message"]
        if found["messageStatus"] not in ("READY", "PROCESSING"):
            return found
        time.sleep(0.1)
    raise PushError(f"message {message_id} goes on and on")


def main():
    tag = tag_id("subscribers")
    call("POST", f"tags/{tag}/uids", {"uids": ["u-1", "u-2"]})
    contacts = call("GET", "uids/u-1")["uid"]["contacts"]
    print("contacts of u-1:", [contact["contactType"] for contact in contacts])

    sent = call("POST", "messages", message({"type": "TAG", "to": [tag]}, "Tonight"))["message"]
    done = wait(sent["messageId"])
    print("to the tag:", done["messageStatus"], done["sentCount"])
    nobody = call("POST", "messages", message({"type": "UID", "to": ["u-9"]}, "Tonight"))["message"]
    print("to nobody:", wait(nobody["messageId"])["messageStatus"])
    logs = call("GET", "logs/message", messageId=sent["messageId"])["data"]["logs"]
    print("results:", sorted(log["sentResult"] for log in logs))

    days = {"fromDate": date(1), "toDate": date(2), "times": ["09:00"]}
    times = call("POST", "schedules", {"type": "EVERY_DAY", **days})["schedules"]
    body = message({"type": "ALL"}, "Tomorrow", schedules=times, isLocalTime=True)
    reservation = call("POST", "reservations", body)["reservation"]["reservationId"]
    shown = call("GET", f"reservations/{reservation}")["reservation"]
    print("reserved:", shown["reservationStatus"], len(shown["schedules"]))
    call("DELETE", "reservations", reservationIds=reservation)
    print("reservations left:", call("GET", "reservations")["totalCount"])
    print("counted:", call("GET", "stats/total", eventCategory="MESSAGE")["total"]["SENT"])
    try:
        call("GET", "messages/1")
    except PushError as error:
        print("error:", error)


def date(days):
    """A day from now on, in Korea."""
    return time.strftime("%Y-%m-%d", time.gmtime(time.time() + 9 * 3600 + days * 86400))


if __name__ == "__main__":
    main()
