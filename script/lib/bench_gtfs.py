"""Writes a GTFS feed of buses with as many stops and stop times as are asked for: FILE STOPS STOP_TIMES."""

import sys
import zipfile

STOPS_OF_TRIP = 40


def rows(stops, times):
    trips = max(1, times // STOPS_OF_TRIP)
    routes = max(1, trips // 100)
    yield "agency.txt", ["agency_id,agency_name,agency_url,agency_timezone", "a,A,https://example.com/,Asia/Taipei"]
    yield "stops.txt", ["stop_id,stop_name,stop_lat,stop_lon"] + [
        f"s{n},Stop {n},{22.5 + n % 223 / 223:.6f},{120 + n // 223 % 223 / 223:.6f}" for n in range(stops)
    ]
    yield "routes.txt", ["route_id,route_short_name,route_long_name,route_type"] + [
        f"r{n},{n},Line {n},3" for n in range(routes)
    ]
    yield "calendar.txt", [
        "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date",
        "d,1,1,1,1,1,1,1,20260101,20271231",
    ]
    yield "trips.txt", ["route_id,service_id,trip_id,direction_id"] + [
        f"r{n % routes},d,t{n},{n // routes % 2}" for n in range(trips)
    ]
    lines = ["trip_id,arrival_time,departure_time,stop_id,stop_sequence"]
    for trip in range(trips):
        route, start = trip % routes, 18_000 + trip // routes * 600
        for place in range(STOPS_OF_TRIP):
            seconds = start + place * 90
            clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
            lines.append(f"t{trip},{clock},{clock},s{(route * 7 + place) % stops},{place + 1}")
    yield "stop_times.txt", lines


def main():
    path, stops, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, lines in rows(stops, times):
            archive.writestr(name, "\n".join(lines) + "\n")


main()
