import CarillonModel
import Foundation

/// Events of the Ministry of Culture's open data: a row for each session of an event.
enum CultureImport {
    private static let wanted: Set<String> = [
        "UID", "title", "category", "showInfo", "showUnit", "discountInfo", "descriptionFilterHtml", "imageUrl",
        "masterUnit", "subUnit", "supportUnit", "otherUnit", "webSales", "sourceWebPromote", "comment",
        "editModifyDate", "sourceWebName", "startDate", "endDate", "hitRate",
    ]
    /// Maximum number of sessions of an event; those after them are left out.
    private static let maximumSessionCount = 500

    static func read(_ bytes: [UInt8], _ limits: ContentFile.Limits, _ collector: inout ContentCollector) throws {
        var known: Set<String> = []
        try ObjectImport.each(bytes, limits, wanted: wanted, envelopes: []) { event, _, place in
            guard let event else { return collector.skip("\(place)", "is no object of JSON") }
            guard let id = event["UID"]?.string, !id.isEmpty, id.utf8.count <= 100 else {
                return collector.skip("\(place)", "has no UID of up to 100 bytes")
            }
            guard CultureText.text(event["title"]) != nil else {
                return collector.skip("\(place)", "has no title")
            }
            // As a whole: its sessions would be those of the earlier one.
            guard known.insert(id).inserted else {
                return collector.skip("\(place)", "has the UID of an earlier event")
            }
            var isCounted = true
            for record in records(event, id: id) {
                try collector.add(record, to: "events", at: "\(place)", isCounted: isCounted)
                isCounted = false
            }
        }
    }

    // MARK: - Private

    private static func records(_ event: [String: JSONValue], id: String) -> [[String: JSONValue]] {
        let common = common(event, id: id)
        let sessions = (event["showInfo"]?.array ?? []).compactMap(\.object).prefix(maximumSessionCount)
        // An event without sessions takes place all the same: it has one, from its first day through its last.
        guard !sessions.isEmpty else {
            var record = common
            record["id"] = .string(id + "-0")
            record["session"] = .integer(0)
            record["startsAt"] = common["startDate"]
            record["firstAt"] = common["startDate"]
            record["endsAt"] = common["endDate"]?.string.map { .string($0 + " 23:59:59") }
            record["isFree"] = .bool(false)
            return [record]
        }
        let times = sessions.compactMap { CultureText.time($0["time"]) }
        let first = times.min() ?? common["startDate"]?.string
        return sessions.enumerated().map { number, session in
            var record = common.merging(self.session(session)) { _, new in new }
            record["id"] = .string("\(id)-\(number)")
            record["session"] = .integer(Int64(number))
            record["startsAt"] = record["startsAt"] ?? common["startDate"]
            record["firstAt"] = first.map(JSONValue.string)
            return record
        }
    }

    private static func common(_ event: [String: JSONValue], id: String) -> [String: JSONValue] {
        var record: [String: JSONValue] = ["event": .string(id)]
        record["title"] = CultureText.text(event["title"]).map(JSONValue.string)
        record["category"] = CultureText.text(event["category"]).map(JSONValue.string)
        let description = CultureText.text(event["descriptionFilterHtml"]) ?? CultureText.text(event["comment"])
        record["description"] = description.map { .string(CultureText.withoutMarkup($0)) }
        record["image"] = CultureText.address(event["imageUrl"]).map(JSONValue.string)
        record["ticketURL"] = CultureText.text(event["webSales"]).map(JSONValue.string)
        record["officialURL"] = CultureText.text(event["sourceWebPromote"]).map(JSONValue.string)
        record["source"] = CultureText.text(event["sourceWebName"]).map(JSONValue.string)
        record["organizer"] = CultureText.units(event["masterUnit"]).map(JSONValue.string)
        record["performer"] = CultureText.text(event["showUnit"]).map(JSONValue.string)
        record["discount"] = CultureText.text(event["discountInfo"]).map(JSONValue.string)
        var (start, end) = (CultureText.date(event["startDate"]), CultureText.date(event["endDate"]))
        // The two are sometimes exchanged.
        if let first = start, let last = end, last < first { (start, end) = (last, first) }
        record["startDate"] = start.map(JSONValue.string)
        record["endDate"] = end.map(JSONValue.string)
        return record
    }

    private static func session(_ session: [String: JSONValue]) -> [String: JSONValue] {
        var record: [String: JSONValue] = [:]
        let (start, end) = (CultureText.time(session["time"]), CultureText.time(session["endTime"]))
        record["startsAt"] = start.map(JSONValue.string)
        if let end, end >= start ?? "" { record["endsAt"] = .string(end) }
        let (place, address) = (CultureText.text(session["locationName"]), CultureText.text(session["location"]))
        record["place"] = place.map(JSONValue.string)
        record["address"] = address.map(JSONValue.string)
        let city = address.flatMap(TaiwanCity.name) ?? place.flatMap(TaiwanCity.name)
        record["city"] = city.map(JSONValue.string)
        record["latitude"] = session["latitude"].flatMap(CultureText.coordinate)
        record["longitude"] = session["longitude"].flatMap(CultureText.coordinate)
        let price = CultureText.text(session["price"]).map(CultureText.withoutMarkup)
        record["price"] = price.flatMap { $0.isEmpty ? nil : .string($0) }
        let isSold = session["onSales"]?.string?.uppercased() == "Y"
        record["isFree"] = .bool(CultureText.isFree(price: price ?? "", isSold: isSold))
        return record
    }
}
