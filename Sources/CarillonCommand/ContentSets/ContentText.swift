import ArgumentParser
import CarillonModel
import Foundation

/// Rows and times of a content set as tables show them: fields in the definition's order, times in its time zone.
struct ContentText: Sendable {
    private let zone: TimeZone
    /// The places of the fields in the definition.
    private var places: [String: Int] = [:]
    /// The fields that are instants.
    private var times: Set<String> = []

    /// Creates texts of a time zone; of UTC without one that is known.
    init(zone name: String?) { zone = name.flatMap(TimeZone.init(identifier:)) ?? .gmt }

    /// Creates texts of a table.
    ///
    /// - Parameters:
    ///   - set: The content set, as the API returns it.
    ///   - table: The table's name; `nil` for the first one.
    init(set: JSONValue, table: String?) {
        self.init(zone: set.at("definition.timeZone")?.string)
        let tables = set.at("definition.tables")?.array ?? []
        let found = table.map { name in tables.first { $0["name"]?.string == name } } ?? tables.first
        for (place, field) in (found?["fields"]?.array ?? []).enumerated() {
            guard let name = field["name"]?.string else { continue }
            places[name] = place
            if field["type"]?.string == "time" { times.insert(name) }
        }
    }

    /// A row as NAME=VALUE; fields that the definition does not have come last, by name.
    func row(_ row: JSONValue) -> String {
        (row.object ?? [:])
            .sorted { (places[$0.key] ?? .max, $0.key) < (places[$1.key] ?? .max, $1.key) }
            .map { $0.key + "=" + (text(of: $0.value, in: $0.key) ?? "") }
            .joined(separator: " ")
    }

    private func text(of value: JSONValue, in field: String) -> String? {
        times.contains(field) ? time(value) : Self.place(value) ?? value.cell
    }

    /// An instant as `2026-11-26T19:30:00+08:00`; other values are as they are.
    func time(_ value: JSONValue?) -> String? {
        guard let value, let instant = value.string.flatMap({ Timestamp($0) }) else { return value?.cell }
        let offset = zone.secondsFromGMT(for: instant.date)
        // The clock of the zone, in the form of UTC without its letter.
        var clock = String(Timestamp(rawValue: instant.rawValue + Int64(offset) * 1_000).description.dropLast())
        if clock.hasSuffix(".000") { clock.removeLast(4) }
        guard offset != 0 else { return clock + "Z" }
        let minutes = abs(offset) / 60
        let parts = [minutes / 60, minutes % 60].map { ($0 < 10 ? "0" : "") + String($0) }
        return clock + (offset < 0 ? "-" : "+") + parts.joined(separator: ":")
    }

    /// A position as LATITUDE,LONGITUDE; `nil` for any other value.
    static func place(_ value: JSONValue?) -> String? {
        guard let latitude = value?["latitude"]?.cell, let longitude = value?["longitude"]?.cell else { return nil }
        return latitude + "," + longitude
    }

    /// Conditions as FIELD=VALUE, with bars between alternatives; `nil` without any.
    static func conditions(_ value: JSONValue?) -> String? {
        value?.object?.sorted { $0.key < $1.key }
            .map { condition in
                let values = condition.value.array ?? [condition.value]
                return condition.key + "=" + values.map { $0.cell ?? "" }.joined(separator: "|")
            }
            .joined(separator: " ")
    }
}

/// `--where` of commands, repeated for further conditions and alternatives.
struct ContentConditions: Sendable {
    private let values: [String: [String]]

    /// Reads the arguments.
    ///
    /// - Throws: `ValidationError` for a text without an equals sign.
    init(_ arguments: [String]) throws {
        var values: [String: [String]] = [:]
        for argument in arguments {
            guard let place = argument.firstIndex(of: "="), place > argument.startIndex else {
                throw ValidationError("--where must be FIELD=VALUE.")
            }
            values[String(argument[..<place]), default: []].append(String(argument[place...].dropFirst()))
        }
        self.values = values
    }

    /// The conditions as the API has them; `nil` without any.
    var json: JSONValue? { values.isEmpty ? nil : .object(values.mapValues(\.json)) }

    /// The same as the text of a query.
    func text() throws -> String? {
        try json.map { String(decoding: try JSONEncoder.sorted().encode($0), as: UTF8.self) }
    }
}
