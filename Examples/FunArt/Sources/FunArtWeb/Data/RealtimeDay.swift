import Foundation

/// What the buses of the network tell at any second of a day, as a GTFS-Realtime feed.
///
/// Each trip has a delay of its own that changes slowly, so that arrivals move; some stops are skipped, some trips canceled.
struct RealtimeDay: Sendable {
    let network: BusNetwork

    /// The feed at an instant.
    ///
    /// - Parameter now: The instant.
    /// - Returns: A `FeedMessage` with all trips that run.
    func feed(at now: Date) -> [UInt8] {
        var message = ProtobufWriter()
        message.message(1) { header in
            header.text(1, "2.0")
            header.number(3, Int(now.timeIntervalSince1970))
        }
        let today = Day(of: now)
        let clock = Int(now.timeIntervalSince(today.start))
        for route in network.routes {
            for isInbound in [false, true] {
                for trip in 0..<route.tripCount {
                    // A trip of yesterday may go on after midnight.
                    for (day, second) in [(today, clock), (today.adding(-1), clock + 86_400)] {
                        let run = Run(route: route, isInbound: isInbound, trip: trip, day: day, second: second)
                        if run.isOnItsWay { add(run, to: &message) }
                    }
                }
            }
        }
        return message.bytes
    }

    // MARK: - Private

    /// A trip on a day.
    private struct Run {
        var route: BusNetwork.Route
        var isInbound: Bool
        var trip: Int
        var day: Day
        /// Seconds since the day began.
        var second: Int

        /// From ten minutes before the first stop.
        var isOnItsWay: Bool {
            let elapsed = second - route.start(ofTrip: trip)
            return elapsed > -600 && elapsed < route.length + 900
        }

        /// The same for all of a run.
        var seed: Int {
            let text = BusNetwork.trip(route, isInbound: isInbound, trip)
            return text.utf8.reduce(day.number) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF }
        }

        var isCanceled: Bool { seed % 41 == 0 }

        /// Seconds behind the timetable, from a minute early to seven minutes late.
        var delay: Int {
            let base = Double(seed % 480) - 60
            return Int(base + 70 * sin(Double(second + seed % 600) / 300 * .pi))
        }
    }

    private func add(_ run: Run, to message: inout ProtobufWriter) {
        let id = BusNetwork.trip(run.route, isInbound: run.isInbound, run.trip)
        message.message(2) { entity in
            entity.text(1, "\(id)-\(run.day.digits)")
            entity.message(3) { update in
                update.message(1) { trip in
                    trip.text(1, id)
                    trip.text(3, run.day.digits)
                    if run.isCanceled { trip.number(4, 3) }
                    trip.text(5, run.route.id)
                    trip.number(6, run.isInbound ? 1 : 0)
                }
                guard !run.isCanceled else { return }
                update.message(2) { stop in
                    stop.number(1, 1)
                    stop.message(2) { $0.number(1, run.delay) }
                }
                if run.seed % 11 == 0 {
                    update.message(2) { stop in
                        stop.number(1, 5)
                        stop.number(5, 1)
                    }
                }
            }
        }
    }
}

/// Writes messages of Protocol Buffers: varints, texts and messages.
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ field: Int, _ value: Int) {
        varint(UInt64(field << 3))
        varint(UInt64(bitPattern: Int64(value)))
    }

    mutating func text(_ field: Int, _ value: String) { append(field, Array(value.utf8)) }

    mutating func message(_ field: Int, _ write: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        write(&inner)
        append(field, inner.bytes)
    }

    private mutating func append(_ field: Int, _ value: [UInt8]) {
        varint(UInt64(field << 3 | 2))
        varint(UInt64(value.count))
        bytes += value
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
