import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Hummingbird

/// Arts events: `twShow/show`.
struct CoimotionShowRoutes: Sendable {
    /// The table of events, a row for each session.
    fileprivate static let table = "events"

    let content: CoimotionContent
    let access: CoimotionAccess

    func declare(_ routes: inout Routes) {
        routes.onBoth("twShow/show/catList", access, categories)
        routes.onBoth("twShow/show/byCity/{id}", access, byCity)
        routes.onBoth("twShow/show/byLoc", access, byPlace)
        routes.onBoth("twShow/show/info/{id}", access, event)
    }

    @Sendable private func categories(_ call: CoimotionCall) async throws -> Response {
        guard call.settings.contentSets.twShow != nil else { throw CoimotionFailure.notReferenced("twShow") }
        let list = CoimotionCategory.all.map { category in
            ["cat": JSONValue.string(category.id), "name": .string(category.name)]
        }
        return try await content.answer(call, list: list)
    }

    @Sendable private func byCity(_ call: CoimotionCall) async throws -> Response {
        let set = try await set(call)
        var query = try call.events(of: set)
        guard let city = CoimotionCity.name(call.id) else { return try await content.answer(call, list: []) }
        query.equalities.append(.init(field: "city", values: [city]))
        let found = try await content.rows(query, Self.table, of: set, call)
        return try await content.answer(call, list: found.rows.map(\.event), total: found.total)
    }

    @Sendable private func byPlace(_ call: CoimotionCall) async throws -> Response {
        let set = try await set(call)
        var query = try call.events(of: set)
        let place = try call.parameters.place()
        let radius = try call.parameters.radius() ?? ContentQuery.Near.defaultRadius
        query.near = ContentQuery.Near(place, radius: radius)
        let found = try await content.rows(query, Self.table, of: set, call)
        let list = found.rows.map { row in
            row.event.merging([
                "latitude": row.latitude("position"), "longitude": row.longitude("position"),
            ]) { $1 }
        }
        return try await content.answer(call, list: list, total: found.total)
    }

    @Sendable private func event(_ call: CoimotionCall) async throws -> Response {
        let (set, id) = (try await set(call), call.id)
        guard (1...ContentValue.maximumTermSize).contains(id.utf8.count) else { throw CoimotionFailure.noSuchEntity }
        var query = ContentQuery()
        query.equalities = [.init(field: "event", values: [id])]
        let sessions = try await content.allRows(query, Self.table, of: set, call)
        guard let first = sessions.first else { throw CoimotionFailure.noSuchEntity }
        var value = first.details
        value["showInfo"] = .array(sessions.map { .object($0.session) })
        return try await content.answer(call, value)
    }

    private func set(_ call: CoimotionCall) async throws -> CoimotionSet {
        try await content.set(call.settings.contentSets.twShow, "twShow", call)
    }
}

extension CoimotionCall {
    /// The sessions of categories on days, the last day included; those that began before and still run among them.
    fileprivate func events(of set: CoimotionSet) throws -> ContentQuery {
        var query = ContentQuery()
        if let categories = try parameters.texts("cat", atMost: ContentQuery.Equality.maximumValueCount) {
            query.equalities.append(.init(field: "category", values: categories))
        }
        let (first, last) = (try parameters.day("fromTm"), try parameters.day("toTm"))
        if let first, let last, last < first { throw CoimotionFailure.wrong("toTm", "must not be before fromTm") }
        guard first != nil || last != nil else { return query }
        query.times = ContentQuery.Times(
            field: "startsAt",
            // An operator's own content set may have no ends.
            end: set.table(CoimotionShowRoutes.table)?.field("endsAt")?.type == .time ? "endsAt" : nil,
            from: first.flatMap { LocalTime.instant(days: $0, seconds: 0, in: set.zone) },
            until: last.flatMap { LocalTime.instant(days: $0 + 1, seconds: 0, in: set.zone) }
        )
        return query
    }
}

extension CoimotionRow {
    /// A session, as lists have it.
    fileprivate var event: [String: JSONValue] {
        [
            "spID": text("event"), "title": text("title"), "time": time("startsAt"), "placeName": text("place"),
            "imgURL": text("image"), "offiURL": text("officialURL"), "saleURL": text("ticketURL"),
        ]
    }

    /// What all sessions of an event have in common.
    fileprivate var details: [String: JSONValue] {
        [
            "spID": text("event"), "cat": text("category"), "title": text("title"), "descTx": text("description"),
            "startDate": text("startDate"), "endDate": text("endDate"), "organizer": text("organizer"),
            "showOrg": text("performer"), "infoSrc": text("source"), "saleURL": text("ticketURL"),
            "offiURL": text("officialURL"), "imgURL": text("image"),
        ]
    }

    /// A session, as an event's record has it.
    fileprivate var session: [String: JSONValue] {
        [
            "time": time("startsAt"), "placeName": text("place"), "addr": text("address"),
            "latitude": latitude("position"), "longitude": longitude("position"), "isFree": flag("isFree"),
            "priceInfo": text("price"),
        ]
    }
}
