package import CarillonContentSets
import CarillonEngine
package import CarillonModel
import Foundation
import StoreErrors

/// The next arrivals at the stops of a route: its timetable, and the last real-time data.
package struct ContentArrivals: Sendable {
    /// The next arrival at a stop.
    package struct Arrival: Hashable, Sendable, Encodable {
        package var stop: String
        /// The stop's name; `nil` when no table has the stop.
        package var name: String?
        package var isInbound: Bool
        /// `nil` when no vehicle is expected today.
        package var time: Timestamp?
        /// Whether it is real-time data, and not of the timetable alone.
        package var isPredicted: Bool
    }

    /// The arrivals of a route.
    package struct Answer: Hashable, Sendable, Encodable {
        /// Outbound ones first, in the order of the stops.
        package var items: [Arrival]
        /// The IANA time zone of the timetable.
        package var timeZone: String
        /// When the last real-time data was made, however old it is; `nil` without any.
        package var realtimeAt: Timestamp?
    }

    /// Real-time data is not shown when it is older.
    package static let maximumAge = ContentFeed.maximumAge
    static let table = "routes"

    private let sets: ContentSets
    private let store: any ContentSourceStore
    private let now: @Sendable () -> Timestamp
    private let feeds = FeedCache()

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - sets: Have the timetables, in a table `routes` with the fields `id` and `timetable`.
    ///   - store: Has real-time data.
    ///   - now: The wall clock.
    package init(sets: ContentSets, store: any ContentSourceStore, now: @escaping @Sendable () -> Timestamp) {
        self.sets = sets
        self.store = store
        self.now = now
    }

    /// Returns the next arrivals on a route.
    ///
    /// - Throws: ``ContentSetError/noRow`` when the set has no such route; ``ContentSetError/conflict(_:)`` when it has no
    ///   routes, or this one no timetable; ``ContentSetError/invalid(_:)``.
    package func next(route: String, of set: String, app: AppID) async throws(ContentSetError) -> Answer {
        guard (1...ContentValue.maximumTermSize).contains(route.utf8.count) else {
            let problem = "must have 1 through \(ContentValue.maximumTermSize) bytes"
            throw .invalid([FieldError(field: "route", problem: problem)])
        }
        guard try await sets.set(set, app: app).definition.table(Self.table) != nil else {
            throw .conflict("The content set has no table \(Self.table), and so no arrivals.")
        }
        guard let row = try await documents([route], of: Self.table, set, app).first else { throw .noRow }
        guard let timetable = try? JSONDecoder().decode(RouteRow.self, from: row).timetable, timetable.isConsistent
        else {
            throw .conflict("The route has no timetable.")
        }
        let feed = try await feed(of: set, app: app)
        let time = now()
        let arrivals = arrivals(timetable, route: route, feed, at: time)
        let names = try await names(of: arrivals.map(\.stop), set, app)
        return Answer(
            items: arrivals.map { arrival in
                Arrival(
                    stop: arrival.stop,
                    name: names[arrival.stop],
                    isInbound: arrival.isInbound,
                    time: arrival.time,
                    isPredicted: arrival.isPredicted
                )
            },
            timeZone: timetable.zone,
            realtimeAt: feed?.at
        )
    }

    // MARK: - Private

    private struct RouteRow: Decodable {
        var timetable: TransitTimetable
    }

    private struct StopRow: Decodable {
        var id: String
        var name: String?
    }

    private func arrivals(
        _ timetable: TransitTimetable,
        route: String,
        _ feed: FeedCache.Feed?,
        at now: Timestamp
    ) -> [TransitArrivals.Arrival] {
        let fresh = feed.flatMap { $0.isFresh(at: now, within: Self.maximumAge) ? $0 : nil }
        var arrivals = TransitArrivals(timetable, realtime: fresh?.realtime).next(route: route, at: now)
        guard let estimates = fresh?.estimates(of: route, at: now) else { return arrivals }
        for index in arrivals.indices {
            let (stop, isInbound) = (arrivals[index].stop, arrivals[index].isInbound)
            guard let time = estimates.time(stop: stop, isInbound: isInbound), time >= now else { continue }
            (arrivals[index].time, arrivals[index].isPredicted) = (time, true)
        }
        return arrivals
    }

    private func feed(of set: String, app: AppID) async throws(ContentSetError) -> FeedCache.Feed? {
        guard let latest = try await stored(try await store.latestFeed(of: set, app: app)) else { return nil }
        let key = FeedCache.Key(app: app, set: set, name: latest.name, fetchedAt: latest.fetchedAt)
        let read = await feeds.feed(key) { [store] in
            do throws(StoreError) {
                return .success(try await store.feed(latest.name, of: set, app: app))
            } catch {
                return .failure(error)
            }
        }
        return try await stored(try read.get())
    }

    private func names(
        of stops: [String],
        _ set: String,
        _ app: AppID
    ) async throws(ContentSetError)
        -> [String: String]
    {
        let ids = Array(Set(stops))
        var names: [String: String] = [:]
        let step = ContentQuery.Equality.maximumValueCount
        for start in stride(from: 0, to: ids.count, by: step) {
            let some = Array(ids[start..<min(start + step, ids.count)])
            for document in try await documents(some, of: "stops", set, app) {
                guard let row = try? JSONDecoder().decode(StopRow.self, from: document) else { continue }
                names[row.id] = row.name
            }
        }
        return names
    }

    /// Rows with some keys, as JSON; none for a table that the set does not have.
    private func documents(
        _ keys: [String],
        of table: String,
        _ set: String,
        _ app: AppID
    ) async throws(ContentSetError) -> [Data] {
        let content = try await sets.set(set, app: app)
        guard let key = content.definition.table(table)?.key else { return [] }
        var query = ContentQuery()
        query.equalities = [.init(field: key, values: keys)]
        query.limit = keys.count
        return try await sets.page(query, table: table, of: set, app: app).items.map { Data($0.document.utf8) }
    }
}
