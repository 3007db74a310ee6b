package import CarillonModel
import SwiftProtobuf

/// Real-time data of a feed of GTFS-Realtime: the state after all its messages.
package struct TransitRealtime: Hashable, Sendable {
    /// Why a message is not read; the state before stays.
    package enum Failure: Error, Hashable, Sendable {
        /// It has more bytes or entities than the limit.
        case tooLarge
        /// It is no message of GTFS-Realtime, or it ends too early.
        case malformed
    }

    /// Maximum bytes of a message.
    package static let maximumSize = 32 << 20
    /// Maximum number of entities.
    package static let maximumEntityCount = 200_000

    /// When the feed was made; `nil` when it does not say.
    package private(set) var timestamp: Timestamp?
    /// By the entity's id.
    private var entities: [String: TripUpdate] = [:]
    /// The entities of a trip.
    private var byTrip: [String: [String]] = [:]
    /// The entities of vehicles that are in no timetable, by route.
    private var extraByRoute: [String: [String]] = [:]

    package init() {}

    /// The number of trips with an update.
    package var tripCount: Int { entities.count }

    /// Reads a message: a full one replaces the state, a differential one changes it.
    ///
    /// - Throws: ``Failure``; nothing changes then.
    package mutating func update(_ message: [UInt8]) throws(Failure) {
        guard message.count <= Self.maximumSize else { throw .tooLarge }
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = 16
        options.discardUnknownFields = true
        let feed: TransitRealtime_FeedMessage
        do {
            feed = try TransitRealtime_FeedMessage(serializedBytes: message, options: options)
        } catch {
            throw .malformed
        }
        guard feed.entity.count <= Self.maximumEntityCount else { throw .tooLarge }
        var updated = self
        if feed.header.incrementality == .fullDataset { updated.entities = [:] }
        for entity in feed.entity {
            updated.entities[entity.id] =
                entity.isDeleted || !entity.hasTripUpdate ? nil : TripUpdate(entity.tripUpdate)
        }
        guard updated.entities.count <= Self.maximumEntityCount else { throw .tooLarge }
        updated.timestamp = Self.timestamp(feed)
        updated.byTrip = Dictionary(grouping: updated.entities.keys.sorted()) { updated.entities[$0]?.trip ?? "" }
        let extra = updated.entities.filter(\.value.isExtra).keys.sorted()
        updated.extraByRoute = Dictionary(grouping: extra) { updated.entities[$0]?.route ?? "" }
        self = updated
    }

    /// The update of a run of a trip.
    ///
    /// - Parameters:
    ///   - trip: The trip's id.
    ///   - day: Its service day, from 1970-01-01.
    ///   - clock: The departure of a repeated trip, in seconds of the service day.
    /// - Returns: `nil` when there is none of the run.
    func update(trip: String, day: Int, clock: Int?) -> TripUpdate? {
        for id in byTrip[trip] ?? [] {
            guard let update = entities[id] else { continue }
            if let start = update.day, start != day { continue }
            if let clock, update.clock != clock { continue }
            return update
        }
        return nil
    }

    /// Arrivals of vehicles that are in no timetable.
    func extraArrivals(route: String, direction: Int) -> [TransitArrivals.Arrival] {
        (extraByRoute[route] ?? []).compactMap { entities[$0] }.filter { $0.direction == direction }.flatMap { update in
            update.stops.compactMap { stop in
                guard let id = stop.stop, let time = stop.time, stop.kind == .scheduled else { return nil }
                return TransitArrivals.Arrival(
                    stop: id,
                    isInbound: direction == 1,
                    time: Timestamp(rawValue: Int64(time) * 1_000),
                    isPredicted: true
                )
            }
        }
    }

    private static func timestamp(_ feed: TransitRealtime_FeedMessage) -> Timestamp? {
        // Far times are clamped: they come from outside.
        guard feed.header.hasTimestamp, feed.header.timestamp > 0 else { return nil }
        return Timestamp(rawValue: Int64(min(feed.header.timestamp, 253_402_300_799)) * 1_000)
    }
}

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
    ///   - scheduled: Their times in seconds since 1970.
    ///   - hasSchedule: Whether delays have a meaning: not for repeated trips.
    /// - Returns: A time for each stop.
    func times(of pattern: TransitTimetable.Pattern, scheduled: [Int?], hasSchedule: Bool) -> [Time] {
        let updates = match(pattern)
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
    private func match(_ pattern: TransitTimetable.Pattern) -> [Int: Stop] {
        var matched: [Int: Stop] = [:]
        var next = 0
        for update in stops {
            let place: Int?
            if let sequence = update.sequence {
                place =
                    pattern.sequences.isEmpty
                    ? (pattern.stops.indices.contains(sequence - 1) ? sequence - 1 : nil)
                    : pattern.sequences.firstIndex(of: sequence)
            } else {
                place = pattern.stops[min(next, pattern.stops.count)...].firstIndex { $0 == update.stop }
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
