import CarillonModel
package import CarillonOperatorModel
import CarillonReaders

/// Filters of OneSignal: a flat list, in which `{"operator":"OR"}` separates groups that all conditions of must hold.
package enum OneSignalSegment {
    /// Reads filters: an array, or an object with `filters`.
    ///
    /// - Throws: ``SourceProblem`` naming the first filter that has no counterpart.
    package static func rule(_ bytes: [UInt8]) throws(SourceProblem) -> AudienceRule {
        guard let value = try? JSONParser.value(bytes[...]), let filters = value.array ?? value["filters"]?.array else {
            throw SourceProblem("has no array of filters")
        }
        var groups: [[String]] = [[]]
        for filter in filters {
            if let word = filter["operator"]?.string {
                switch word.uppercased() {
                case "OR": groups.append([])
                case "AND": break
                default: throw SourceProblem("has the operator \(word), which Carillon does not have")
                }
            } else {
                groups[groups.count - 1].append(try condition(filter))
            }
        }
        guard groups != [[]] else { throw SourceProblem("has no filter") }
        guard groups.allSatisfy({ !$0.isEmpty }) else { throw SourceProblem("has an OR without a filter on each side") }
        return try SegmentText.rule(groups.map { SegmentText.join($0, "and") }.joined(separator: " or "))
    }

    // MARK: - Private

    private static func condition(_ filter: JSONValue) throws(SourceProblem) -> String {
        guard let field = filter["field"]?.string else { throw SourceProblem("has a filter without field") }
        switch field {
        case "tag": return try tag(filter)
        case "last_session": return try time("lastSeen", filter)
        case "first_session": return try time("registered", filter)
        case "language", "country": return try comparison(field, filter, ["=", "!="])
        case "app_version": return try comparison("appVersion", filter, ["=", "!=", "<", ">"])
        case "location": return try area(filter)
        default: throw SourceProblem("has a filter on \(field), which Carillon does not have")
        }
    }

    private static func relation(_ filter: JSONValue) -> String { filter["relation"]?.string ?? "=" }

    private static func unknown(_ filter: JSONValue) -> SourceProblem {
        SourceProblem(
            "has the relation \(relation(filter)) on \(filter["field"]?.string ?? ""), which Carillon does not have"
        )
    }

    private static func tag(_ filter: JSONValue) throws(SourceProblem) -> String {
        guard let key = filter["key"]?.string else { throw SourceProblem("has a filter on a tag without key") }
        let field = try SegmentText.attribute(key)
        let value = filter["value"]?.sourceText ?? ""
        switch relation(filter) {
        case "exists": return "\(field) exists"
        case "not_exists": return "not \(field) exists"
        case "=": return equal(field, value)
        case "!=": return "not " + equal(field, value)
        case ">", "<":
            guard SegmentText.isNumber(value) else { throw SourceProblem("compares \(key) with what is no number") }
            return "\(field) \(relation(filter)) \(value)"
        default: throw unknown(filter)
        }
    }

    /// A tag's value may have been a text or a number.
    private static func equal(_ field: String, _ value: String) -> String {
        let text = "\(field) = \(SegmentText.quoted(value))"
        return SegmentText.isNumber(value) ? "(\(text) or \(field) = \(value))" : text
    }

    /// `last_session > 24` is for who was last here more than 24 hours ago.
    private static func time(_ field: String, _ filter: JSONValue) throws(SourceProblem) -> String {
        guard let hours = filter["hours_ago"]?.sourceText.flatMap({ Double($0) }), hours >= 0, hours <= 87_600 else {
            throw SourceProblem("has a filter on \(filter["field"]?.string ?? "") without hours_ago")
        }
        let ago = hours == hours.rounded() ? "\(Int(hours))h" : "\(Int((hours * 60).rounded()))m"
        switch relation(filter) {
        case ">": return "\(field) < now-\(ago)"
        case "<": return "\(field) > now-\(ago)"
        default: throw unknown(filter)
        }
    }

    private static func comparison(
        _ field: String,
        _ filter: JSONValue,
        _ relations: Set<String>
    ) throws(SourceProblem) -> String {
        guard relations.contains(relation(filter)) else { throw unknown(filter) }
        return "\(field) \(relation(filter)) \(SegmentText.quoted(filter["value"]?.sourceText ?? ""))"
    }

    private static func area(_ filter: JSONValue) throws(SourceProblem) -> String {
        func number(_ name: String) -> Double? { filter[name]?.sourceText.flatMap { Double($0) } }
        guard let latitude = number("lat"), let longitude = number("long"), let radius = number("radius"),
            (1...10_000_000).contains(radius)
        else { throw SourceProblem("has a filter on location without radius, lat and long") }
        return "within(\(latitude), \(longitude), \(Int(radius))m)"
    }
}
