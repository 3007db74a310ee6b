import Foundation

/// The network as a GTFS Schedule feed.
struct GTFSArchive: Sendable {
    let network: BusNetwork
    /// The feed holds from a month before this day to a year after it.
    let today: Day

    /// The zip archive.
    var file: [UInt8] {
        var zip = ZipWriter()
        zip.add("agency.txt", agency)
        zip.add("stops.txt", stops)
        zip.add("routes.txt", routes)
        zip.add("trips.txt", trips)
        zip.add("stop_times.txt", stopTimes)
        zip.add("calendar.txt", calendar)
        zip.add("feed_info.txt", feedInfo)
        return zip.finished()
    }

    // MARK: - Tables

    private var agency: String {
        """
        agency_id,agency_name,agency_url,agency_timezone,agency_lang
        FA,"範例客運",https://buses.example/,Asia/Taipei,zh-TW

        """
    }

    /// The two stops of a crossing are on the two sides of the road.
    private var stops: String {
        var text = "stop_id,stop_code,stop_name,stop_lat,stop_lon\n"
        for (number, crossing) in network.crossings.enumerated() {
            for isInbound in [false, true] {
                let id = network.stop(number, isInbound: isInbound)
                let latitude = crossing.latitude + (isInbound ? 0.0003 : -0.0003)
                text += "\(id),\(id.dropFirst()),\(crossing.name),\(Self.degrees(latitude)),"
                text += "\(Self.degrees(crossing.longitude))\n"
            }
        }
        return text
    }

    private var routes: String {
        var text = "route_id,agency_id,route_short_name,route_long_name,route_type\n"
        for route in network.routes { text += "\(route.id),FA,\(route.name),\(network.ends(of: route)),3\n" }
        return text
    }

    private var trips: String {
        var text = "route_id,service_id,trip_id,direction_id\n"
        for route in network.routes {
            for isInbound in [false, true] {
                for trip in 0..<route.tripCount {
                    let id = BusNetwork.trip(route, isInbound: isInbound, trip)
                    text += "\(route.id),daily,\(id),\(isInbound ? 1 : 0)\n"
                }
            }
        }
        return text
    }

    private var stopTimes: String {
        var text = "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
        for route in network.routes {
            for isInbound in [false, true] {
                let stops = network.stops(of: route, isInbound: isInbound)
                let times = route.times(isInbound: isInbound)
                for trip in 0..<route.tripCount {
                    let id = BusNetwork.trip(route, isInbound: isInbound, trip)
                    let start = route.start(ofTrip: trip)
                    for (index, stop) in stops.enumerated() {
                        // Beyond 24:00:00 for a trip that goes on after midnight.
                        let time = Self.clock(start + times[index])
                        text += "\(id),\(time),\(time),\(stop),\(index + 1)\n"
                    }
                }
            }
        }
        return text
    }

    private var calendar: String {
        let (first, last) = (today.adding(-30), today.adding(365))
        return """
            service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
            daily,1,1,1,1,1,1,1,\(first.digits),\(last.digits)

            """
    }

    private var feedInfo: String {
        """
        feed_publisher_name,feed_publisher_url,feed_lang,feed_version
        瘋藝文,https://buses.example/,zh-TW,\(today.digits)

        """
    }

    private static func clock(_ seconds: Int) -> String {
        let two = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
        return "\(two(seconds / 3_600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    private static func degrees(_ number: Double) -> String { "\((number * 1_000_000).rounded() / 1_000_000)" }
}

extension Day {
    /// `20261126`, as GTFS writes it.
    var digits: String { text.replacingOccurrences(of: "-", with: "") }
}
