import CarillonModel
import SwiftProtobuf
import Testing

@testable import CarillonContentSets

/// What a question costs, whatever a feed has.
struct RealtimeCostTests {
    /// 2026-11-26.
    private static let day = 20_783
    private static let now = Timestamp(rawValue: Int64(day * 86_400 + 28_800) * 1_000)

    private func timetable(_ stops: [String], _ change: (inout TransitTimetable.Pattern) -> Void) -> TransitTimetable {
        var pattern = TransitTimetable.Pattern(direction: 0, stops: stops)
        pattern.profiles = [stops.indices.map { $0 * 60 }]
        change(&pattern)
        let days = [Bool](repeating: true, count: 7)
        let service = TransitTimetable.Service(weekdays: days, first: 20_000, last: 30_000)
        return TransitTimetable(zone: "UTC", patterns: [pattern], services: [service])
    }

    private func realtime(_ updates: [TransitRealtime_TripUpdate]) throws -> TransitRealtime {
        var feed = TransitRealtime_FeedMessage()
        feed.header.gtfsRealtimeVersion = "2.0"
        feed.entity = updates.enumerated().map { index, update in
            var entity = TransitRealtime_FeedEntity()
            entity.id = "\(100_000 + index)"
            entity.tripUpdate = update
            return entity
        }
        var realtime = TransitRealtime()
        try realtime.update(feed.serializedBytes())
        return realtime
    }

    private func update(_ trip: String, _ stops: [(stop: String, time: Int)]) -> TransitRealtime_TripUpdate {
        var update = TransitRealtime_TripUpdate()
        update.trip.tripID = trip
        update.stopTimeUpdate = stops.map { stop, time in
            var update = TransitRealtime_TripUpdate.StopTimeUpdate()
            update.stopID = stop
            update.arrival.time = Int64(time)
            return update
        }
        return update
    }

    private func times(_ arrivals: [TransitArrivals.Arrival]) -> [Int?] {
        arrivals.map { $0.time.map { Int(($0.rawValue - Self.now.rawValue) / 1_000) } }
    }

    @Test("Each run finds its update at once, however many updates a feed has of one trip", .timeLimit(.minutes(1)))
    func manyUpdatesOfOneTrip() throws {
        // A departure each minute, and updates of other days but for the last one.
        let timetable = timetable(["a", "b"]) { pattern in
            var trip = TransitTimetable.Trip(id: "t", service: 0, profile: 0, start: 0)
            (trip.headway, trip.until) = (60, 86_400)
            pattern.trips = [trip]
        }
        let seconds = Self.day * 86_400 + 28_800
        var updates = (0..<30_000).map { number in
            var update = update("t", [])
            (update.trip.startDate, update.trip.startTime) = ("20270101", "08:00:\(10 + number % 50)")
            return update
        }
        var last = update("t", [("b", seconds + 90)])
        (last.trip.startDate, last.trip.startTime) = ("20261126", "08:00:00")
        updates.append(last)
        let arrivals = TransitArrivals(timetable, realtime: try realtime(updates)).next(route: "r", at: Self.now)
        // The bus of 07:59 is at b at 08:00.
        #expect(times(arrivals) == [0, 0])
        let later = Timestamp(rawValue: Self.now.rawValue + 61_000)
        let next = TransitArrivals(timetable, realtime: try realtime([last])).next(route: "r", at: later)
        #expect(times(next) == [120, 90] && next.map(\.isPredicted) == [false, true])
    }

    @Test("An update with its day goes before one without, and one of a departure is of no other one")
    func daysAndDepartures() throws {
        var timetable = timetable(["a"]) { pattern in
            var trip = TransitTimetable.Trip(id: "t", service: 0, profile: 0, start: 28_800)
            (trip.headway, trip.until) = (600, 30_600)
            pattern.trips = [trip]
        }
        // Yesterday's runs would have updates without a day too.
        timetable.services[0].first = Self.day
        let seconds = Self.day * 86_400 + 28_800
        var (undated, today) = (update("t", [("a", seconds + 5)]), update("t", [("a", seconds + 7)]))
        (undated.trip.startTime, today.trip.startTime, today.trip.startDate) = ("08:10:00", "08:10:00", "20261126")
        let after = Timestamp(rawValue: Self.now.rawValue + 1_000)
        let both = TransitArrivals(timetable, realtime: try realtime([undated, today])).next(route: "r", at: after)
        #expect(times(both) == [7])
        #expect(times(TransitArrivals(timetable, realtime: try realtime([undated])).next(route: "r", at: after)) == [5])
        // One without a departure is of no single run of a repeated trip.
        let none = update("t", [("a", seconds + 5)])
        #expect(times(TransitArrivals(timetable, realtime: try realtime([none])).next(route: "r", at: after)) == [600])
    }

    @Test("The stops of updates count among those that an answer looks at") func matchingCounts() throws {
        let timetable = timetable(["a", "b"]) { pattern in
            pattern.trips = [.init(id: "t", service: 0, profile: 0, start: 28_800)]
        }
        let wide = try realtime([update("t", (0..<1_000).map { ("none\($0)", 1) })])
        let answer = { (limit: Int) in
            times(TransitArrivals(timetable, realtime: wide, visitLimit: limit).next(route: "r", at: Self.now))
        }
        // Yesterday's run and today's.
        #expect(answer(2_100) == [0, 60])
        #expect(answer(500) == [nil, nil])
    }

    @Test("What is over costs a run and not its stops") func pastRuns() throws {
        let stops = (0..<100).map(String.init)
        let timetable = timetable(stops) { pattern in
            pattern.trips = (0..<400).map { .init(id: "t\($0)", service: 0, profile: 0, start: $0 * 10) }
            pattern.trips.append(.init(id: "last", service: 0, profile: 0, start: 28_800))
        }
        let arrivals = TransitArrivals(timetable, realtime: nil, visitLimit: 1_200).next(route: "r", at: Self.now)
        #expect(times(arrivals) == stops.indices.map { $0 * 60 })
    }

    @Test("Of vehicles that are in no timetable the next one is shown") func extras() throws {
        let timetable = timetable(["a", "b"]) { _ in }
        let seconds = Self.day * 86_400 + 28_800
        let updates = [50, -100, 20, 80].map { after in
            var update = update("x\(after)", [("a", seconds + after)])
            (update.trip.routeID, update.trip.scheduleRelationship) = ("r", .added)
            return update
        }
        let arrivals = TransitArrivals(timetable, realtime: try realtime(updates)).next(route: "r", at: Self.now)
        #expect(times(arrivals) == [20, nil] && arrivals.map(\.isPredicted) == [true, false])
    }

    @Test("A stop that a trip comes to twice has the update of each time") func twice() {
        let positions = StopPositions(.init(direction: 0, stops: ["a", "b", "a"]))
        #expect(positions.position(of: "a", from: 0) == 0)
        #expect(positions.position(of: "a", from: 1) == 2)
        #expect(positions.position(of: "a", from: 3) == nil && positions.position(of: "x", from: 0) == nil)
        #expect(positions.position(ofSequence: 3) == 2 && positions.position(ofSequence: 4) == nil)
        let numbered = StopPositions(.init(direction: 0, stops: ["a", "b"], sequences: [10, 20]))
        #expect(numbered.position(ofSequence: 20) == 1 && numbered.position(ofSequence: 1) == nil)
    }

    /// A member of an encoded message.
    private func member(_ field: UInt8, _ body: [UInt8]) -> [UInt8] {
        var (bytes, size) = ([field << 3 | 2], body.count)
        while size >= 0x80 {
            bytes.append(UInt8(size & 0x7F) | 0x80)
            size >>= 7
        }
        return bytes + [UInt8(size)] + body
    }

    @Test("A message with more parts than there may be is refused before it is decoded") func tooManyParts() throws {
        let half = TransitRealtime.maximumStopCount / 2 + 1
        let stops = [[UInt8]](repeating: member(2, []), count: half).flatMap(\.self)
        let entity = member(2, member(1, [0x31]) + member(3, stops))
        #expect(RealtimeParts(of: entity).stopCount == half)
        let entities = [[UInt8]](repeating: member(2, []), count: TransitRealtime.maximumEntityCount + 1).flatMap(
            \.self
        )
        for message in [entity + entity, entities] {
            var realtime = TransitRealtime()
            #expect(throws: TransitRealtime.Failure.tooLarge) { try realtime.update(message) }
        }
    }

    @Test("A message with groups is refused, wherever they are: parts after them would not be counted")
    func groups() throws {
        let parts = [[UInt8]](repeating: member(2, []), count: 3).flatMap(\.self)
        // A group of field 15 that begins and ends, and types that there are not.
        for group: [UInt8] in [[0x7B, 0x7C], [0x7C], [0x7E], [0x7F]] {
            let messages = [group + parts, member(2, group + member(3, parts)), member(2, member(3, group + parts))]
            for message in messages {
                #expect(RealtimeParts(of: message).hasGroups)
                var realtime = TransitRealtime()
                #expect(throws: TransitRealtime.Failure.malformed) { try realtime.update(message) }
            }
        }
        #expect(!RealtimeParts(of: member(2, member(3, parts))).hasGroups)
    }

    @Test("A message with a group is refused although a decoder reads it, and changes nothing")
    func readableGroup() throws {
        var feed = TransitRealtime_FeedMessage()
        feed.header.gtfsRealtimeVersion = "2.0"
        var entity = TransitRealtime_FeedEntity()
        entity.id = "1"
        entity.tripUpdate = update("t", [("s", 1)])
        feed.entity = [entity]
        let bytes: [UInt8] = try feed.serializedBytes()
        var realtime = TransitRealtime()
        #expect(throws: TransitRealtime.Failure.malformed) { try realtime.update([0x7B, 0x7C] + bytes) }
        #expect(realtime == TransitRealtime())

        try realtime.update(bytes)
        #expect(realtime.tripCount == 1)
    }

    @Test("The parts of a message are counted as they are decoded, and a broken one to where it breaks")
    func parts() throws {
        var feed = TransitRealtime_FeedMessage()
        feed.header.gtfsRealtimeVersion = "2.0"
        feed.header.timestamp = .max
        feed.entity = (0..<3).map { number in
            var entity = TransitRealtime_FeedEntity()
            entity.id = "\(number)"
            entity.tripUpdate = update("t", (0..<number).map { ("s\($0)", $0) })
            entity.tripUpdate.delay = -1
            return entity
        }
        let bytes: [UInt8] = try feed.serializedBytes()
        let parts = RealtimeParts(of: bytes)
        #expect(parts.entityCount == 3 && parts.stopCount == 3)
        for count in bytes.indices { #expect(RealtimeParts(of: Array(bytes.prefix(count))).stopCount <= 3) }
        let endless = [0x12] + [UInt8](repeating: 0xFF, count: 10)
        #expect(RealtimeParts(of: endless) == RealtimeParts(of: []))
    }
}
