package import CarillonModel
package import Foundation

extension ContentField {
    /// Why a value does not fit a field.
    package struct Problem: Error, Hashable, Sendable {
        package var text: String
    }

    /// Parses a value of a file; numbers, booleans and times may also be texts.
    ///
    /// - Parameters:
    ///   - value: The value; `nil` when the file has none.
    ///   - zone: The zone of times without an offset.
    /// - Returns: `nil` when there is none: null, and an empty text for all types.
    /// - Throws: ``Problem`` when it does not fit; the text does not contain the value.
    package func parse(_ value: JSONValue?, in zone: TimeZone) throws(Problem) -> ContentValue? {
        guard let value, value != .null else { return nil }
        if let text = value.string, text.allSatisfy(\.isWhitespace) { return nil }
        switch type {
        case .text:
            let text = cut(try text(of: value))
            return text.isEmpty ? nil : .text(text)
        case .url: return try url(value)
        case .integer:
            guard let whole = value.integer ?? value.string.flatMap({ Int64(Self.trimmed($0)) }) else {
                throw Problem(text: "is no integer")
            }
            return .integer(whole)
        case .number: return .number(try number(value, "is no number"))
        case .boolean: return .boolean(try boolean(value))
        case .time:
            guard let text = value.string, let time = LocalTime.instant(Self.trimmed(text), in: zone) else {
                throw Problem(text: "is no time")
            }
            return .time(time)
        case .list: return try list(value)
        case .position: return try position(value)
        case .json:
            let size = (try? JSONEncoder.sorted().encode(value).count) ?? .max
            guard size <= Self.maximumDocumentSize else { throw Problem(text: "has more than 1 MiB") }
            return .json(value)
        }
    }

    /// Parses a position of two columns; empty columns and 0, 0 mean none, as exports write places that are unknown.
    package func position(_ latitude: JSONValue?, _ longitude: JSONValue?) throws(Problem) -> ContentValue? {
        let isEmpty = { (value: JSONValue?) in
            value == nil || value == .null || value?.string?.allSatisfy(\.isWhitespace) == true
        }
        if isEmpty(latitude) || isEmpty(longitude) { return nil }
        let north = try number(latitude ?? .null, "is no latitude")
        let east = try number(longitude ?? .null, "is no longitude")
        if north == 0, east == 0 { return nil }
        guard let place = ContentPosition(latitude: north, longitude: east) else {
            throw Problem(text: "is no place: latitudes are -90 through 90, longitudes -180 through 180")
        }
        return .position(place)
    }

    // MARK: - Private

    private static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    private func text(of value: JSONValue) throws(Problem) -> String {
        switch value {
        case .string(let text): return Self.cleaned(text)
        case .integer(let whole): return String(whole)
        case .number(let number): return String(number)
        case .bool(let bool): return bool ? "true" : "false"
        case .null, .array, .object: throw Problem(text: "is no text")
        }
    }

    /// Without control characters, which no text of an answer has, and without blanks around it: in this order, since a
    /// stored text is read again and has to stay what it is.
    private static func cleaned(_ text: String) -> String {
        let isControl = { (scalar: Unicode.Scalar) in
            scalar.properties.generalCategory == .control && scalar != "\n" && scalar != "\t"
        }
        guard text.unicodeScalars.contains(where: isControl) else { return trimmed(text) }
        return trimmed(String(String.UnicodeScalarView(text.unicodeScalars.filter { !isControl($0) })))
    }

    private func cut(_ text: String) -> String {
        if text.utf8.count <= maximumLength || text.count <= maximumLength { return text }
        return Self.trimmed(String(text.prefix(maximumLength)))
    }

    private func url(_ value: JSONValue) throws(Problem) -> ContentValue {
        guard let text = value.string.map(Self.trimmed), text.utf8.count <= 2_000,
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), let parts = URLComponents(string: text),
            let scheme = parts.scheme?.lowercased(),
            scheme == "https" || scheme == "http", parts.host?.isEmpty == false
        else { throw Problem(text: "is no address with http or https of up to 2,000 bytes") }
        return .text(text)
    }

    private func number(_ value: JSONValue, _ problem: String) throws(Problem) -> Double {
        guard let number = value.number ?? value.string.flatMap({ Double(Self.trimmed($0)) }), number.isFinite else {
            throw Problem(text: problem)
        }
        return number
    }

    private func boolean(_ value: JSONValue) throws(Problem) -> Bool {
        switch value {
        case .bool(let bool): return bool
        case .integer(0): return false
        case .integer(1): return true
        case .string(let text):
            switch Self.trimmed(text).lowercased() {
            case "true", "yes", "y", "1": return true
            case "false", "no", "n", "0": return false
            default: break
            }
        default: break
        }
        throw Problem(text: "is neither true nor false")
    }

    /// An array, or a text with elements between semicolons or bars, which may be those of Chinese texts.
    private func list(_ value: JSONValue) throws(Problem) -> ContentValue {
        let all: [String]
        switch value {
        case .array(let elements):
            var texts: [String] = []
            for element in elements { texts.append(try text(of: element)) }
            all = texts
        case .string(let text): all = text.split { ";|；｜".contains($0) }.map { Self.cleaned(String($0)) }
        default: all = [try text(of: value)]
        }
        guard all.count <= Self.maximumListCount else { throw Problem(text: "has more than 1,000 elements") }
        return .list(all.filter { !$0.isEmpty }.map(cut))
    }

    /// An object with `latitude` and `longitude`, or a point of GeoJSON.
    private func position(_ value: JSONValue) throws(Problem) -> ContentValue? {
        if let pair = value["coordinates"]?.array, pair.count >= 2 { return try position(pair[1], pair[0]) }
        guard value.object != nil else { throw Problem(text: "is no place") }
        return try position(value["latitude"], value["longitude"])
    }
}
