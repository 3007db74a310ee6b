import CarillonModel
import Foundation

/// The columns of a file of Devices, according to its header.
///
/// `token` is required; all others may be missing, or empty in a line: `push_type` (`apns` or `apns_sandbox`; default
/// `apns`), `tenant`, `user`, `language`, `country`, `time_zone`, `app_version`, `os_version`, `model`, `sdk_version`,
/// `consent_notifications` (default true), `consent_ads`, `consent_night_ads` (default false), `device` (a UUID),
/// `last_seen` (a time, such as `2026-11-26T09:00:00Z`), `tags` (names, separated by spaces), `categories` (an id, or a JSON array or object) and `attribute.NAME`, an
/// attribute of the user under that exact name: a JSON number, `true`, `false`, or a text. The other columns of an
/// export are ignored.
package struct ImportColumns: Hashable, Sendable {
    /// The columns beside the texts of `DeviceField`.
    private enum Column: Int, CaseIterable {
        case token, pushType, user, consentNotifications, consentAds, consentNightAds, device, tags, categories
        case lastSeen

        /// The name in a header, such as `push_type`.
        var name: String { "\(self)".snakeCased }
    }

    /// Where the texts of `DeviceField` begin among the ordinals of columns.
    private static let firstText = Column.allCases.count
    private static let names = Column.allCases.map(\.name) + DeviceField.all.map(\.column)

    /// The columns of an export that an import ignores.
    package static let told: Set<String> = [
        "token_state", "created_at", "registered_at", "voip_token", "voip_push_type", "cursor",
    ]

    /// Why a header or a line is invalid.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String

        package init(_ description: String) { self.description = description }
    }

    /// By the column's ordinal; -1 when the file does not have it.
    private var positions = Array(repeating: -1, count: Self.names.count)
    private let count: Int
    /// The columns that hold attributes of Users.
    private var attributes: [AttributeColumn] = []

    private struct AttributeColumn: Hashable {
        var name: String
        var position: Int
    }

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - header: The names, in any case and order.
    ///   - ignoresUnknown: Whether unknown names are allowed. Otherwise a misspelt consent column would be lost
    ///     silently.
    /// - Throws: ``Problem`` when `token` is missing, or a name is unknown or occurs twice.
    package init(header: [String], ignoresUnknown: Bool = false) throws(Problem) {
        count = header.count
        if let objection = Self.objection(to: header) { throw Problem(objection) }
        for (position, written) in header.enumerated() {
            let written = written.trimmingCharacters(in: .whitespaces)
            let name = written.lowercased()
            if name.hasPrefix(Self.attributePrefix) {
                try addAttribute(String(written.dropFirst(Self.attributePrefix.count)), at: position)
                continue
            }
            guard let ordinal = Self.names.firstIndex(of: name) else {
                if ignoresUnknown || Self.told.contains(name) { continue }
                throw Problem("column \(position + 1) of the header is not known")
            }
            guard positions[ordinal] < 0 else { throw Problem("the column \(name) is there twice") }
            positions[ordinal] = position
        }
        guard positions[Column.token.rawValue] >= 0 else { throw Problem("the header has no column token") }
    }

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - fields: Its fields.
    ///   - line: Its number.
    /// - Returns: The Device.
    /// - Throws: ``Problem`` with the column's name, never with the value.
    package func device(_ fields: [String], line: Int) throws(Problem) -> ImportedDevice {
        guard fields.count == count else { throw Problem("has \(fields.count) fields, the header has \(count)") }
        guard let token = DeviceToken(hexadecimal: text(.token, fields) ?? "") else {
            throw Problem("token must be 16 through 200 hexadecimal digits, an even number of them")
        }
        let consent = Consent(
            notifications: try flag(.consentNotifications, fields) ?? true,
            ads: try flag(.consentAds, fields) ?? false,
            nightAds: try flag(.consentNightAds, fields) ?? false
        )
        var registration = Registration(token: token, pushType: try pushType(fields), consent: consent)
        registration.user = try user(fields)
        for (index, field) in DeviceField.all.enumerated() {
            registration[keyPath: field.registration] = try text(field, at: Self.firstText + index, fields)
        }
        registration.categories = try categories(fields)
        var imported = ImportedDevice(line: line, device: try device(fields), token: token, registration: registration)
        imported.seenAt = try time(.lastSeen, fields)
        if let names = text(.tags, fields)?.utf8.split(separator: UInt8(ascii: " ")) {
            try imported.setTags(names.map { String(Substring($0)) })
        }
        if !attributes.isEmpty { try imported.setAttributes(attributeValues(fields)) }
        return imported
    }

    // MARK: - Private

    private static let attributePrefix = "attribute."

    private mutating func addAttribute(_ name: String, at position: Int) throws(Problem) {
        guard UserAttributes.problem(name, .null) == nil else {
            throw Problem("column \(position + 1) of the header has no name of an attribute")
        }
        guard attributes.count < UserAttributes.maximumCount, !attributes.contains(where: { $0.name == name }) else {
            throw Problem("column \(position + 1) of the header is an attribute too many, or one that is there twice")
        }
        attributes.append(AttributeColumn(name: name, position: position))
    }

    /// The attributes of a line; empty fields are ignored.
    private func attributeValues(_ fields: [String]) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for column in attributes where !fields[column.position].isEmpty {
            values[column.name] = JSONValue(csv: SpreadsheetText.bare(fields[column.position]))
        }
        return values
    }

    /// Why a file's first line cannot be a header; `nil` when it can.
    ///
    /// Spreadsheets separate fields with semicolons where the comma is the decimal point.
    private static func objection(to header: [String]) -> String? {
        guard let first = header.first else { return nil }
        if header.count == 1, first.contains(";") || first.contains("\t") {
            return "its fields are separated by semicolons or tabs; save it with commas"
        }
        return first.contains("\r") ? "its lines end with CR alone; save it with LF or CRLF" : nil
    }

    private func text(_ column: Column, _ fields: [String]) -> String? { text(at: column.rawValue, fields) }

    private func text(at ordinal: Int, _ fields: [String]) -> String? {
        let position = positions[ordinal]
        guard position >= 0, !fields[position].isEmpty else { return nil }
        return SpreadsheetText.bare(fields[position])
    }

    private func time(_ column: Column, _ fields: [String]) throws(Problem) -> Timestamp? {
        guard let text = text(column, fields) else { return nil }
        guard let time = Timestamp(text) else {
            throw Problem("\(column.name) must be a time such as 2026-11-26T09:00:00Z")
        }
        return time
    }

    private func categories(_ fields: [String]) throws(Problem) -> DeviceCategories? {
        guard let text = text(.categories, fields) else { return nil }
        guard let categories = DeviceCategories(text: text) else {
            throw Problem("categories must be an id, or a JSON array of ids, or a JSON object of arrays")
        }
        return categories
    }

    private func text(_ field: DeviceField, at ordinal: Int, _ fields: [String]) throws(Problem) -> String? {
        guard let text = text(at: ordinal, fields) else { return nil }
        if let problem = field.limit.problem(of: text, allowsLineBreaks: false) {
            throw Problem(field.column + " " + problem)
        }
        return text
    }

    private func flag(_ column: Column, _ fields: [String]) throws(Problem) -> Bool? {
        guard let text = text(column, fields) else { return nil }
        switch text {
        case "true": return true
        case "false": return false
        default: break
        }
        switch text.lowercased() {
        case "true", "1", "yes", "y": return true
        case "false", "0", "no", "n": return false
        default: throw Problem("\(column.name) must be true or false")
        }
    }

    private func pushType(_ fields: [String]) throws(Problem) -> PushType {
        guard let text = text(.pushType, fields) else { return .apns }
        guard let pushType = PushType(rawValue: text.lowercased()), !pushType.isVoIP else {
            throw Problem("push_type must be apns, or apns_sandbox for apps that Xcode installed")
        }
        return pushType
    }

    private func user(_ fields: [String]) throws(Problem) -> UserID? {
        guard let text = text(.user, fields) else { return nil }
        guard let user = UserID(rawValue: text) else {
            throw Problem("user must have 1 through \(UserID.maximumLength) characters and no control characters")
        }
        return user
    }

    private func device(_ fields: [String]) throws(Problem) -> DeviceID? {
        guard let text = text(.device, fields) else { return nil }
        guard let device = DeviceID(text) else { throw Problem("device must be a UUID") }
        return device
    }
}

extension JSONValue {
    /// Parses a field of a CSV file: a JSON number, `true`, `false`, or the text itself.
    fileprivate init(csv text: String) {
        switch text {
        case "true": self = .bool(true)
        case "false": self = .bool(false)
        default:
            // A number with a leading zero or a plus is a code or a telephone number, and stays a text.
            let digits = text.hasPrefix("-") ? text.dropFirst() : Substring(text)
            let isPlain = digits.first?.isASCII == true && digits.first?.isNumber == true
            let hasLeadingZero = digits.count > 1 && digits.first == "0" && digits.dropFirst().first != "."
            if isPlain, !hasLeadingZero, let whole = Int64(text) {
                self = .integer(whole)
            } else if isPlain, !hasLeadingZero, digits.last?.isNumber == true, let number = Double(text),
                number.isFinite, !digits.contains(where: { "xXpPnN".contains($0) })
            {
                self = .number(number)
            } else {
                self = .string(text)
            }
        }
    }
}
