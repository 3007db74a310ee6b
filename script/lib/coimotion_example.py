"""Runs the example of COIMOTION's demo app against a server that has events and buses, and checks what it prints."""

import json
import os
import urllib.request

from example_world import EXAMPLES, World, run

CODE = "demoApp"
KEY = "1b4e28ba-2fa1-11d2-883f-0016d3cca427"
DAY = "2026-11-26"

EXPECTED = [
    "guest: guest",
    "login: Login Ok.",
    "events: 春之夜, 海港合唱",
    "event: 春之夜 2026-11-28 19:30:00",
    "attached: stage.png, image/png",
    "downloaded: 12 bytes",
    "stops: 中山大學, 哨船頭",
    "routes: 橘9",
    "arrivals: 中山大學, 哨船頭, 哨船頭, 中山大學",
    "person: alice",
    "after the logout: guest",
]

EVENTS = [
    {"UID": "53a1b2c3d4e5f60718293a4b", "title": "春之夜", "category": "1", "startDate": "2026/11/28",
     "endDate": "2026/11/28", "masterUnit": ["藝文中心"], "showInfo": [
         {"time": "2026/11/28 19:30:00", "location": "高雄市鼓山區蓮海路70號", "locationName": "國立中山大學",
          "onSales": "Y", "price": "300", "latitude": "22.6264", "longitude": "120.2657"}]},
    {"UID": "53a1b2c3d4e5f60718293a4c", "title": "海港合唱", "category": "1", "showInfo": [
        {"time": "2026/12/03 23:00:00", "location": "高雄市苓雅區", "locationName": "文化中心", "onSales": "N",
         "price": "", "latitude": None, "longitude": None}]},
]


def stop(number, name, latitude, longitude):
    return {"StopUID": f"KHH{number}", "StopID": str(number), "StopName": {"Zh_tw": name},
            "StopPosition": {"PositionLat": latitude, "PositionLon": longitude}, "City": "Kaohsiung"}


def pattern(direction, stops):
    return {"RouteUID": "KHH100", "Direction": direction,
            "Stops": [{"StopUID": uid, "StopSequence": place} for place, uid in enumerate(stops, 1)]}


BUSES = {
    "Stop": [stop(1, "中山大學", 22.6265, 120.2660), stop(2, "哨船頭", 22.6240, 120.2690)],
    "Route": [{"RouteUID": "KHH100", "RouteID": "100", "RouteName": {"Zh_tw": "橘9"}, "City": "Kaohsiung",
               "DepartureStopNameZh": "甲站", "DestinationStopNameZh": "乙站"}],
    "StopOfRoute": [pattern(0, ["KHH1", "KHH2"]), pattern(1, ["KHH2", "KHH1"])],
}

# The presets that `carillon content preset` prints, as far as the calls read them.
DEFINITIONS = {
    "events": {"version": 1, "title": "Arts events", "timeZone": "Asia/Taipei", "tables": [
        {"name": "events", "key": "id", "order": ["firstAt", "event", "startsAt", "session"],
         "takesAttachments": True, "fields": [
            {"name": "id", "type": "text"}, {"name": "event", "type": "text", "isRequired": True, "isIndexed": True},
            {"name": "session", "type": "integer", "isRequired": True},
            {"name": "category", "type": "text", "isIndexed": True}, {"name": "title", "type": "text"},
            {"name": "startsAt", "type": "time"}, {"name": "firstAt", "type": "time"},
            {"name": "startDate", "type": "text"}, {"name": "endDate", "type": "text"},
            {"name": "city", "type": "text", "isIndexed": True}, {"name": "place", "type": "text"},
            {"name": "address", "type": "text"}, {"name": "position", "type": "position"},
            {"name": "price", "type": "text"}, {"name": "isFree", "type": "boolean"},
            {"name": "organizer", "type": "text"}]}]},
    "buses": {"version": 1, "title": "City buses", "timeZone": "Asia/Taipei", "tables": [
        {"name": "stops", "key": "id", "fields": [
            {"name": "id", "type": "text"}, {"name": "code", "type": "text"}, {"name": "name", "type": "text"},
            {"name": "position", "type": "position"}, {"name": "routes", "type": "list", "isIndexed": True}]},
        {"name": "routes", "key": "id", "order": ["name"], "fields": [
            {"name": "id", "type": "text"}, {"name": "name", "type": "text"}, {"name": "description", "type": "text"},
            {"name": "timetable", "type": "json"}]}]},
}


def fill(call, app):
    """Makes the content sets of an App, turns accounts and the vendor API on.

    `call` is called with a method, a path and a body.
    """
    for name, (format, data) in {"events": ("culture", EVENTS), "buses": ("tdx", BUSES)}.items():
        call("PUT", f"/v1/content-sets/{name}?app={app}", DEFINITIONS[name])
        report = call("POST", f"/v1/content-sets/{name}/imports?app={app}&format={format}", data)
        assert report["state"] == "completed" and report["skipped"] == 0, report
    call("PUT", f"/v1/apps/{app}/accounts", {"isOn": True})
    call("PUT", f"/v1/apps/{app}/vendor-apis/coimotion", {
        "key": KEY, "coimotion": {"code": CODE, "contentSets": {"twShow": "events", "twCtBus": "buses"}}})


def main():
    world, _ = World.of_command_line()
    fill(world.call, world.app("Arts"))
    program = os.path.join(EXAMPLES, "../apps/coimotion/arts-guide")
    run("COIMOTION's demo app", [program], EXPECTED,
        {"COIM_BASE": f"{world.url}/{CODE}", "COIM_APP_KEY": KEY, "COIM_DAY": DAY})
    # The app code as the first label of the host.
    request = urllib.request.Request(
        world.url + "/core/user/profile", json.dumps({"_key": KEY}).encode(),
        {"Content-Type": "application/json", "Host": "demoapp.push.example.com"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert json.load(answer)["value"] == {"dspName": "guest", "isGuest": 1}


if __name__ == "__main__":
    main()
