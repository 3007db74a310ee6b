import CarillonContentSets
import CarillonModel
import CarillonOperatorModel
import Foundation

/// What a message says of rows: the values of its placeholders.
struct AlertTexts: Sendable {
    /// What texts may have beside the fields of a table.
    static let counts = ["count", "others"]

    let table: ContentTable
    let zone: TimeZone

    /// The values of one row, or of the first of several.
    ///
    /// - Parameters:
    ///   - document: The row.
    ///   - count: How many rows the message is about.
    ///   - places: The placeholders that its texts have: a value without one would be refused.
    /// - Returns: Texts of up to 1,000 characters; fields without a value are missing.
    func values(of document: String, count: Int, for places: RecipientPlaces) -> TemplateValues {
        let members = (try? JSONDecoder().decode([String: JSONValue].self, from: Data(document.utf8))) ?? [:]
        var texts: [String: String] = [:]
        if places.names.contains("count") { texts["count"] = String(count) }
        if places.names.contains("others") { texts["others"] = String(count - 1) }
        for field in table.fields where places.names.contains(field.name) {
            guard let text = members[field.name].flatMap({ text($0, field.type) }), !text.isEmpty else { continue }
            texts[field.name] = String(text.prefix(TemplateValues.maximumLength))
        }
        return TemplateValues(texts)
    }

    private func text(_ value: JSONValue, _ type: ContentFieldType) -> String? {
        switch value {
        case .string(let text): type == .time ? Timestamp(text).map(time) ?? text : text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .bool(let bool): bool ? "true" : "false"
        case .array(let elements): elements.compactMap(\.string).joined(separator: ", ")
        case .null, .object: nil
        }
    }

    /// `2026-11-26 19:30` in the set's time zone.
    private func time(_ time: Timestamp) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let date = Date(timeIntervalSince1970: Double(time.rawValue) / 1_000)
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
        let two = { (number: Int?) in ((number ?? 0) < 10 ? "0" : "") + String(number ?? 0) }
        return "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day)) \(two(parts.hour)):\(two(parts.minute))"
    }
}
