package import CarillonModel
import SwiftProtobuf

/// Real-time data of a feed of GTFS-Realtime: the state after all its messages.
///
/// Runs and stops are indexed when a message is read, so that a question costs the same whatever a feed has of one trip.
package struct TransitRealtime: Hashable, Sendable {
    /// Why a message is not read; the state before stays.
    package enum Failure: Error, Hashable, Sendable {
        /// It has more bytes, entities or updates of stops than the limit.
        case tooLarge
        /// It is no message of GTFS-Realtime, or it ends too early.
        case malformed
    }

    /// Which runs of a trip an update is of.
    private struct Run: Hashable, Sendable {
        var trip: String
        /// The service day, from 1970-01-01; `nil` for updates that have none.
        var day: Int?
        /// The departure of a repeated trip; `nil` for any.
        var clock: Int?
    }

    /// A stop of vehicles that are in no timetable.
    private struct ExtraStop: Hashable, Sendable {
        var route: String
        var direction: Int
        var stop: String
    }

    /// Maximum bytes of a message.
    package static let maximumSize = 32 << 20
    /// Maximum number of entities.
    package static let maximumEntityCount = 200_000
    /// Maximum number of updates of stops, of all entities of a message.
    package static let maximumStopCount = 1_000_000

    /// When the feed was made; `nil` when it does not say.
    package private(set) var timestamp: Timestamp?
    /// By the entity's id.
    private var entities: [String: TripUpdate] = [:]
    /// The first entity of each run, in order of their ids.
    private var byRun: [Run: String] = [:]
    /// When vehicles that are in no timetable come, in seconds since 1970, in order.
    private var extraTimes: [ExtraStop: [Int]] = [:]

    package init() {}

    /// The number of trips with an update.
    package var tripCount: Int { entities.count }

    /// Reads a message: a full one replaces the state, a differential one changes it.
    ///
    /// - Throws: ``Failure``; nothing changes then.
    package mutating func update(_ message: [UInt8]) throws(Failure) {
        let parts = RealtimeParts(of: message)
        guard message.count <= Self.maximumSize, parts.entityCount <= Self.maximumEntityCount,
            parts.stopCount <= Self.maximumStopCount
        else { throw .tooLarge }
        guard !parts.hasGroups else { throw .malformed }
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
        updated.index()
        self = updated
    }

    /// The update of a run of a trip; one that has the day goes before one without.
    ///
    /// - Parameters:
    ///   - trip: The trip's id.
    ///   - day: Its service day, from 1970-01-01.
    ///   - clock: The departure of a repeated trip, in seconds of the service day.
    /// - Returns: `nil` when there is none of the run.
    func update(trip: String, day: Int, clock: Int?) -> TripUpdate? {
        let id = byRun[Run(trip: trip, day: day, clock: clock)] ?? byRun[Run(trip: trip, day: nil, clock: clock)]
        return id.flatMap { entities[$0] }
    }

    /// When the next vehicle that is in no timetable comes to a stop.
    ///
    /// - Parameters:
    ///   - stop: The stop's id.
    ///   - route: The route's id.
    ///   - direction: 0 outbound, 1 inbound.
    ///   - now: Earlier times are over.
    /// - Returns: `nil` when none comes.
    func extraTime(at stop: String, route: String, direction: Int, from now: Timestamp) -> Timestamp? {
        guard let times = extraTimes[ExtraStop(route: route, direction: direction, stop: stop)] else { return nil }
        let isOver = { (seconds: Int) in Int64(seconds) * 1_000 < now.rawValue }
        let index = times.partitionIndex(before: isOver)
        return index < times.count ? Timestamp(rawValue: Int64(times[index]) * 1_000) : nil
    }

    // MARK: - Private

    private mutating func index() {
        (byRun, extraTimes) = ([:], [:])
        for id in entities.keys.sorted() {
            guard let update = entities[id] else { continue }
            // One without a departure is of no single run of a repeated trip.
            for clock in Set([nil, update.clock]) {
                let run = Run(trip: update.trip, day: update.day, clock: clock)
                if byRun[run] == nil { byRun[run] = id }
            }
            guard update.isExtra else { continue }
            for stop in update.stops where stop.kind == .scheduled {
                guard let name = stop.stop, let time = stop.time else { continue }
                let place = ExtraStop(route: update.route, direction: update.direction, stop: name)
                extraTimes[place, default: []].append(time)
            }
        }
        extraTimes = extraTimes.mapValues { $0.sorted() }
    }

    private static func timestamp(_ feed: TransitRealtime_FeedMessage) -> Timestamp? {
        // Far times are clamped: they come from outside.
        guard feed.header.hasTimestamp, feed.header.timestamp > 0 else { return nil }
        return Timestamp(rawValue: Int64(min(feed.header.timestamp, 253_402_300_799)) * 1_000)
    }
}
