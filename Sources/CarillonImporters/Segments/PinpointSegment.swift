import CarillonModel
package import CarillonOperatorModel
import CarillonReaders

/// Segments of Amazon Pinpoint: groups of dimensions, as GetSegment answers.
package enum PinpointSegment {
    /// Reads a segment: an object with `SegmentGroups` or `Dimensions`, or a SegmentResponse around it.
    ///
    /// - Throws: ``SourceProblem`` naming the first part that has no counterpart.
    package static func rule(_ bytes: [UInt8]) throws(SourceProblem) -> AudienceRule {
        guard let value = try? JSONParser.value(bytes[...]) else { throw SourceProblem("is not JSON") }
        let segment = value["SegmentResponse"] ?? value
        if segment["SegmentType"]?.string == "IMPORT" {
            throw SourceProblem("is a list that was imported, without conditions")
        }
        if let groups = segment["SegmentGroups"] {
            let texts = try all(groups["Groups"]?.array ?? [], group)
            return try SegmentText.rule(try combine(texts, groups["Include"]?.string ?? "ALL"))
        }
        return try SegmentText.rule(try dimension(segment["Dimensions"] ?? segment))
    }

    // MARK: - Private

    private static func all(
        _ values: [JSONValue],
        _ text: (JSONValue) throws(SourceProblem) -> String
    ) throws(SourceProblem) -> [String] {
        var texts: [String] = []
        for value in values { texts.append(try text(value)) }
        return texts
    }

    private static func combine(_ texts: [String], _ type: String) throws(SourceProblem) -> String {
        guard !texts.isEmpty else { throw SourceProblem("has a group without conditions") }
        switch type {
        case "ALL": return SegmentText.join(texts, "and")
        case "ANY": return SegmentText.join(texts, "or")
        case "NONE": return "not " + SegmentText.join(texts, "or")
        default: throw SourceProblem("has the type \(type), which Carillon does not have")
        }
    }

    private static func group(_ group: JSONValue) throws(SourceProblem) -> String {
        if let sources = group["SourceSegments"]?.array, !sources.isEmpty {
            throw SourceProblem("has SourceSegments, which Carillon does not have; bring their conditions over first")
        }
        return try combine(try all(group["Dimensions"]?.array ?? [], dimension), group["Type"]?.string ?? "ALL")
    }

    private static func dimension(_ dimension: JSONValue) throws(SourceProblem) -> String {
        var texts: [String] = []
        for (name, value) in (dimension.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            switch name {
            case "Attributes", "UserAttributes":
                for (key, one) in members(value) { texts.append(try attribute(key, one)) }
            case "Metrics":
                for (key, one) in members(value) { texts.append(try metric(key, one)) }
            case "Demographic", "Location":
                for (key, one) in members(value) { texts.append(try phone(key, one)) }
            case "Behavior":
                for (key, one) in members(value) { texts.append(try behavior(key, one)) }
            default: throw SourceProblem("has \(name), which Carillon does not have")
            }
        }
        guard !texts.isEmpty else { throw SourceProblem("has a dimension without conditions") }
        return SegmentText.join(texts, "and")
    }

    private static func members(_ value: JSONValue) -> [(String, JSONValue)] {
        (value.object ?? [:]).sorted { $0.key < $1.key }.filter { $0.value != .null }.map { ($0.key, $0.value) }
    }

    private static func attribute(_ name: String, _ condition: JSONValue) throws(SourceProblem) -> String {
        let field = try SegmentText.attribute(name)
        return try included(condition["AttributeType"]?.string, name) {
            "\(field) in [\($0)]"
        } values: {
            condition
        }
    }

    /// A condition on the values that are included or excluded; `text` makes it of their list.
    private static func included(
        _ type: String?,
        _ name: String,
        _ text: (String) -> String,
        values: () -> JSONValue
    ) throws(SourceProblem) -> String {
        let list = (values()["Values"]?.array ?? []).compactMap(\.string)
        guard !list.isEmpty else { throw SourceProblem("has a condition on \(name) without values") }
        let condition = text(list.map(SegmentText.quoted).joined(separator: ", "))
        switch type ?? "INCLUSIVE" {
        case "INCLUSIVE": return condition
        case "EXCLUSIVE": return "not " + condition
        case let other: throw SourceProblem("has \(other) on \(name), which Carillon does not have")
        }
    }

    private static func metric(_ name: String, _ condition: JSONValue) throws(SourceProblem) -> String {
        let field = try SegmentText.attribute(name)
        guard let value = condition["Value"]?.sourceText, SegmentText.isNumber(value) else {
            throw SourceProblem("compares \(name) with what is no number")
        }
        switch condition["ComparisonOperator"]?.string {
        case "EQUAL": return "\(field) = \(value)"
        case "GREATER_THAN": return "\(field) > \(value)"
        case "GREATER_THAN_OR_EQUAL": return "\(field) >= \(value)"
        case "LESS_THAN": return "\(field) < \(value)"
        case "LESS_THAN_OR_EQUAL": return "\(field) <= \(value)"
        case let other: throw SourceProblem("has \(other ?? "no operator") on \(name), which Carillon does not have")
        }
    }

    private static func phone(_ name: String, _ condition: JSONValue) throws(SourceProblem) -> String {
        let type = condition["DimensionType"]?.string
        switch name {
        case "Country":
            return try included(type, name) {
                "country in [\($0)]"
            } values: {
                condition
            }
        case "Model":
            return try included(type, name) {
                "model in [\($0)]"
            } values: {
                condition
            }
        case "AppVersion":
            return try included(type, name) { list in
                SegmentText.join(list.split(separator: ", ").map { "appVersion = \($0)" }, "or")
            } values: {
                condition
            }
        case "GPSPoint":
            guard let point = condition["Coordinates"], let latitude = point["Latitude"]?.number,
                let longitude = point["Longitude"]?.number, let range = condition["RangeInKilometers"]?.number,
                (0.001...10_000).contains(range)
            else { throw SourceProblem("has a GPSPoint without coordinates and range") }
            return "within(\(latitude), \(longitude), \(Int(range * 1_000))m)"
        default: throw SourceProblem("has a condition on \(name), which Carillon does not have")
        }
    }

    private static func behavior(_ name: String, _ condition: JSONValue) throws(SourceProblem) -> String {
        let durations = ["HR_24": "24h", "DAY_7": "7d", "DAY_14": "14d", "DAY_30": "30d"]
        guard name == "Recency", let ago = condition["Duration"]?.string.flatMap({ durations[$0] }) else {
            throw SourceProblem("has a condition on \(name), which Carillon does not have")
        }
        switch condition["RecencyType"]?.string {
        case "ACTIVE": return "lastSeen > now-\(ago)"
        case "INACTIVE": return "lastSeen < now-\(ago)"
        case let other: throw SourceProblem("has the recency \(other ?? ""), which Carillon does not have")
        }
    }
}
