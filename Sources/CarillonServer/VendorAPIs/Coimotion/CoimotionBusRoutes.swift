import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Hummingbird

/// City buses: `twCtBus/busStop` and `twCtBus/busRoute`.
struct CoimotionBusRoutes: Sendable {
    let content: CoimotionContent
    let arrivals: ContentArrivals
    let access: CoimotionAccess

    func declare(_ routes: inout Routes) {
        routes.onBoth("twCtBus/busStop/search", access, stops)
        routes.onBoth("twCtBus/busStop/routes/{id}", access, lines)
        routes.onBoth("twCtBus/busRoute/next/{id}", access, next)
    }

    @Sendable private func stops(_ call: CoimotionCall) async throws -> Response {
        let set = try await set(call)
        var query = ContentQuery()
        let place = try call.parameters.place()
        let radius = try call.parameters.radius() ?? Double(call.settings.stopRadius)
        query.near = ContentQuery.Near(place, radius: radius)
        let found = try await content.rows(query, "stops", of: set, call, atMost: call.settings.stopLimit)
        return try await content.answer(call, list: found.rows.map(\.stop), total: found.total)
    }

    @Sendable private func lines(_ call: CoimotionCall) async throws -> Response {
        let set = try await set(call)
        guard let stop = try await content.row(call.id, "stops", of: set, call) else {
            throw CoimotionFailure.noSuchEntity
        }
        let found = try await content.keyed(stop.strings("routes"), "routes", of: set, call)
        return try await content.answer(call, list: found.map(\.route))
    }

    @Sendable private func next(_ call: CoimotionCall) async throws -> Response {
        let (set, route) = (try await set(call), call.id)
        guard (1...ContentValue.maximumTermSize).contains(route.utf8.count) else {
            throw CoimotionFailure.noSuchEntity
        }
        let answer: ContentArrivals.Answer
        do {
            answer = try await contentAnswer(try await arrivals.next(route: route, of: set.name, app: call.app))
        } catch EngineError.conflict {
            // A route without a timetable has no arrivals.
            return try await content.answer(call, list: [])
        }
        let zone = TimeZone(identifier: answer.timeZone) ?? .gmt
        return try await content.answer(call, list: answer.items.map { Self.row($0, zone) })
    }

    private func set(_ call: CoimotionCall) async throws -> CoimotionSet {
        try await content.set(call.settings.contentSets.twCtBus, "twCtBus", call)
    }

    /// An arrival; one without a prediction has no time.
    private static func row(_ arrival: ContentArrivals.Arrival, _ zone: TimeZone) -> [String: JSONValue] {
        var row: [String: JSONValue] = [
            "stName": .string(arrival.name ?? arrival.stop), "isInBd": .string(arrival.isInbound ? "1" : "0"),
        ]
        row["arvTime"] = arrival.time.map { .string(String(CoimotionRow.text($0, in: zone).dropFirst(11).prefix(5))) }
        return row
    }
}

extension CoimotionRow {
    fileprivate var stop: [String: JSONValue] {
        [
            "tsID": text("id"), "stName": text("name"), "stCode": .string(string("code") ?? string("id") ?? ""),
            "latitude": latitude("position"), "longitude": longitude("position"),
        ]
    }

    fileprivate var route: [String: JSONValue] {
        ["brID": text("id"), "rtName": text("name"), "descTx": text("description")]
    }
}
