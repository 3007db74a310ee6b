import SwiftProtobuf

/// The update of one run of a trip.
struct TripUpdate: Hashable, Sendable {
    /// The update of a stop.
    struct Stop: Hashable, Sendable {
        enum Kind: Hashable, Sendable { case scheduled, skipped, noData }

        var sequence: Int?
        var stop: String?
        var kind: Kind
        /// Seconds since 1970.
        var time: Int?
        /// Seconds behind the timetable; negative for early.
        var delay: Int?
    }

    /// When a vehicle comes to a stop.
    enum Time: Hashable, Sendable {
        case time(Int)
        case skipped
        case unknown
    }

    var trip: String
    var route: String
    var direction: Int
    var day: Int?
    var clock: Int?
    var isCanceled: Bool
    /// Whether the timetable does not have it.
    var isExtra: Bool
    var delay: Int?
    var stops: [Stop]

    /// Greatest delay in seconds, either way: what is beyond is an error of the feed.
    private static let maximumDelay = 86_400
    /// Maximum number of stops of an update: those behind them are passed over.
    private static let maximumStopCount = 2_000

    init(_ update: TransitRealtime_TripUpdate) {
        trip = update.trip.tripID
        route = update.trip.routeID
        direction = update.trip.directionID == 1 ? 1 : 0
        day = update.trip.hasStartDate ? LocalTime.day(update.trip.startDate) : nil
        clock = update.trip.hasStartTime ? GTFSClock.seconds(update.trip.startTime) : nil
        switch update.trip.scheduleRelationship {
        case .canceled, .deleted: (isCanceled, isExtra) = (true, false)
        case .added, .new, .unscheduled, .duplicated: (isCanceled, isExtra) = (false, true)
        case .scheduled, .replacement: (isCanceled, isExtra) = (false, false)
        }
        delay = update.hasDelay ? Self.delay(update.delay) : nil
        stops = update.stopTimeUpdate.prefix(Self.maximumStopCount).map(Self.stop)
    }

    /// When the vehicle comes to each stop of a pattern.
    ///
    /// A delay holds for the stops after it too, until the next update that is not about a skipped stop.
    ///
    /// - Parameters:
    ///   - pattern: The trip's stops.
    ///   - positions: Where they are.
    ///   - scheduled: Their times in seconds since 1970.
    ///   - hasSchedule: Whether delays have a meaning: not for repeated trips.
    /// - Returns: A time for each stop.
    func times(
        of pattern: TransitTimetable.Pattern,
        _ positions: StopPositions,
        scheduled: [Int?],
        hasSchedule: Bool
    ) -> [Time] {
        let updates = match(positions)
        var delay = hasSchedule ? self.delay : nil
        return pattern.stops.indices.map { index in
            let update = updates[index]
            switch update?.kind {
            case .skipped: return .skipped
            case .noData:
                delay = nil
                return .unknown
            case .scheduled:
                if let time = update?.time {
                    delay = scheduled[index].flatMap { hasSchedule ? time - $0 : nil }
                    return .time(time)
                }
                if let known = update?.delay { delay = hasSchedule ? known : nil }
            case nil: break
            }
            guard let delay, let time = scheduled[index] else { return .unknown }
            return .time(time + delay)
        }
    }

    // MARK: - Private

    /// The updates by the position of their stop: by sequence number, else by the next stop of the id.
    private func match(_ positions: StopPositions) -> [Int: Stop] {
        var matched: [Int: Stop] = [:]
        var next = 0
        for update in stops {
            let place =
                if let sequence = update.sequence {
                    positions.position(ofSequence: sequence)
                } else {
                    update.stop.flatMap { positions.position(of: $0, from: next) }
                }
            guard let place else { continue }
            matched[place] = update
            next = place + 1
        }
        return matched
    }

    private static func stop(_ update: TransitRealtime_TripUpdate.StopTimeUpdate) -> Stop {
        let kind: Stop.Kind =
            switch update.scheduleRelationship {
            case .skipped: .skipped
            case .noData: .noData
            case .scheduled, .unscheduled: .scheduled
            }
        let event = update.hasArrival ? update.arrival : update.departure
        return Stop(
            sequence: update.hasStopSequence ? Int(min(update.stopSequence, 1_000_000)) : nil,
            stop: update.hasStopID ? update.stopID : nil,
            kind: kind,
            time: event.hasTime ? Int(min(max(0, event.time), 253_402_300_799)) : nil,
            delay: event.hasDelay ? delay(event.delay) : nil
        )
    }

    private static func delay(_ seconds: Int32) -> Int {
        min(max(Int(seconds), -maximumDelay), maximumDelay)
    }
}
