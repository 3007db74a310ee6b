import CarillonModel
import SwiftProtobuf
import Testing

@testable import CarillonContentSets

/// GTFS-Realtime on a timetable.
struct RealtimeTests {
    /// Ten stops, a minute between two, from 08:00 of each day.
    private static let timetable: TransitTimetable = {
        let stops = (1...10).map { "s\($0)" }
        var pattern = TransitTimetable.Pattern(direction: 0, stops: stops)
        pattern.profiles = [(0..<10).map { $0 * 60 }]
        pattern.trips = [.init(id: "t", service: 0, profile: 0, start: 28_800)]
        let days = [Bool](repeating: true, count: 7)
        let service = TransitTimetable.Service(weekdays: days, first: 20_000, last: 30_000)
        return TransitTimetable(zone: "UTC", patterns: [pattern], services: [service])
    }()

    private static let start = 20_784 * 86_400 + 28_800

    private func message(
        _ stops: [(UInt32, (inout TransitRealtime_TripUpdate.StopTimeUpdate) -> Void)],
        _ change: (inout TransitRealtime_FeedMessage) -> Void = { _ in }
    ) throws -> [UInt8] {
        var feed = TransitRealtime_FeedMessage()
        feed.header.gtfsRealtimeVersion = "2.0"
        feed.header.timestamp = UInt64(Self.start)
        var entity = TransitRealtime_FeedEntity()
        entity.id = "1"
        entity.tripUpdate.trip.tripID = "t"
        entity.tripUpdate.stopTimeUpdate = stops.map { sequence, body in
            var update = TransitRealtime_TripUpdate.StopTimeUpdate()
            update.stopSequence = sequence
            body(&update)
            return update
        }
        feed.entity = [entity]
        change(&feed)
        return try feed.serializedBytes()
    }

    /// Seconds behind the timetable at each stop; `nil` where nothing is told.
    private func delays(_ message: [UInt8]) throws -> [Int?] {
        var realtime = TransitRealtime()
        try realtime.update(message)
        let now = Timestamp(rawValue: Int64(Self.start - 3_600) * 1_000)
        return TransitArrivals(Self.timetable, realtime: realtime).next(route: "r", at: now).enumerated().map {
            index,
            arrival in
            guard let time = arrival.time, arrival.isPredicted else { return arrival.time == nil ? .max : nil }
            return Int(time.rawValue / 1_000) - Self.start - index * 60
        }
    }

    @Test("M-74 A delay holds until the next update, after NO_DATA nothing is known") func propagation() throws {
        let message = try message([
            (3, { $0.arrival.delay = 300 }), (8, { $0.arrival.delay = 60 }),
            (10, { $0.scheduleRelationship = .noData }),
        ])
        #expect(try delays(message) == [nil, nil, 300, 300, 300, 300, 300, 60, 60, nil])
    }

    @Test("M-74 A time wins over a delay, and tells the delay of the stops after it") func timeWins() throws {
        let message = try message([
            (
                2,
                {
                    $0.arrival.time = Int64(Self.start + 60 + 120)
                    $0.arrival.delay = 5
                }
            )
        ])
        #expect(try delays(message) == [nil] + [Int?](repeating: 120, count: 9))
    }

    @Test("M-74 A negative delay is early") func early() throws {
        #expect(try delays(try message([(1, { $0.departure.delay = -30 })])) == [Int?](repeating: -30, count: 10))
    }

    @Test("M-74 A skipped stop has no arrival, and the delay goes on behind it") func skipped() throws {
        let message = try message([(1, { $0.arrival.delay = 60 }), (3, { $0.scheduleRelationship = .skipped })])
        #expect(try delays(message) == [60, 60, .max, 60, 60, 60, 60, 60, 60, 60])
    }

    @Test("M-74 A canceled trip has no arrivals") func canceled() throws {
        let message = try message([]) { $0.entity[0].tripUpdate.trip.scheduleRelationship = .canceled }
        #expect(try delays(message) == [Int?](repeating: .max, count: 10))
    }

    @Test("M-74 An update of another day does not count") func otherDay() throws {
        let message = try message([(1, { $0.arrival.delay = 60 })]) {
            $0.entity[0].tripUpdate.trip.startDate = "20261101"
        }
        #expect(try delays(message) == [Int?](repeating: nil, count: 10))
    }

    @Test("M-74 Unknown fields are passed over") func unknownFields() throws {
        // Field 99, a text, and field 4 of an entity, a vehicle.
        let message = try message([(1, { $0.arrival.delay = 60 })]) + [0x9A, 0x06, 0x02, 0x68, 0x69]
        #expect(try delays(message).first == 60)
    }

    @Test("M-74 A message that is cut off is refused, and nothing changes") func cutOff() throws {
        let whole = try message([(1, { $0.arrival.delay = 60 })])
        var realtime = TransitRealtime()
        try realtime.update(whole)
        let before = realtime
        for count in 1..<whole.count {
            // Cut behind the header it is a message without entities; each other one is refused.
            do throws(TransitRealtime.Failure) {
                try realtime.update(Array(whole.prefix(count)))
                #expect(realtime.tripCount == 0)
                realtime = before
            } catch {
                #expect(error == .malformed)
                #expect(realtime == before)
            }
        }
    }

    @Test("M-65 A later message counts at the next question") func laterMessage() throws {
        var realtime = TransitRealtime()
        try realtime.update(try message([(1, { $0.arrival.delay = 60 })]))
        try realtime.update(try message([(1, { $0.arrival.delay = 120 })]))
        let now = Timestamp(rawValue: Int64(Self.start) * 1_000)
        let first = TransitArrivals(Self.timetable, realtime: realtime).next(route: "r", at: now).first
        #expect(first?.time?.rawValue == Int64(Self.start + 120) * 1_000)
    }

    @Test("A differential message changes what it tells of") func differential() throws {
        var realtime = TransitRealtime()
        try realtime.update(try message([(1, { $0.arrival.delay = 60 })]))
        try realtime.update(
            try message([]) {
                $0.header.incrementality = .differential
                $0.entity[0].id = "2"
            }
        )
        #expect(realtime.tripCount == 2)
        try realtime.update(
            try message([]) {
                $0.header.incrementality = .differential
                $0.entity[0].isDeleted = true
            }
        )
        #expect(realtime.tripCount == 1)
    }

    @Test("A vehicle that no timetable has is shown at its stops") func extra() throws {
        let message = try message([
            (
                1,
                {
                    $0.stopID = "s2"
                    $0.arrival.time = Int64(Self.start - 100)
                }
            )
        ]) {
            $0.entity[0].tripUpdate.trip.scheduleRelationship = .added
            $0.entity[0].tripUpdate.trip.tripID = "x"
            $0.entity[0].tripUpdate.trip.routeID = "r"
        }
        var realtime = TransitRealtime()
        try realtime.update(message)
        let now = Timestamp(rawValue: Int64(Self.start - 3_600) * 1_000)
        let arrivals = TransitArrivals(Self.timetable, realtime: realtime).next(route: "r", at: now)
        #expect(arrivals[1].time?.rawValue == Int64(Self.start - 100) * 1_000)
    }
}
