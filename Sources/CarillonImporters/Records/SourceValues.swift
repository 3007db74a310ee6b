package import CarillonModel
import Foundation

/// A locale as services write it: `en_US`, `en-US`, `zh_Hant_TW`, `ja`.
struct SourceLocale {
    /// A language, with its script if it has one: `zh-Hant`.
    var language: String
    /// In upper case.
    var country: String?

    init?(_ text: String) {
        let parts = text.prefix { $0 != "@" && $0 != "." }.split { $0 == "_" || $0 == "-" }.map(String.init)
        guard let first = parts.first, (2...8).contains(first.utf8.count) else { return nil }
        language = first
        for part in parts.dropFirst() {
            if part.utf8.count == 4, country == nil, !part.utf8.contains(where: { $0 < 0x41 }) {
                language += "-" + part
            } else if part.utf8.count == 2 || (part.utf8.count == 3 && part.utf8.allSatisfy { $0 < 0x3A }) {
                country = part.uppercased()
                return
            }
        }
    }
}

/// Whether texts are time zones of IANA; each is looked up once.
struct ZoneCheck {
    private var known: [String: Bool] = [:]

    mutating func isKnown(_ text: String) -> Bool {
        if let known = known[text] { return known }
        // Foundation also takes abbreviations and offsets, such as GMT+9.
        let isName = text.contains("/") || text == "UTC" || text == "GMT"
        let isZone = isName && text.utf8.count <= 64 && TimeZone(identifier: text) != nil
        if known.count < 2_000 { known[text] = isZone }
        return isZone
    }
}

/// Times as services write them.
package enum SourceTime {
    /// Reads a time.
    ///
    /// - Parameters:
    ///   - text: Seconds or milliseconds since 1970, or ISO 8601: `2020-07-10 15:00:00.000 UTC`, `2026-11-01`,
    ///     `2026-11-01T09:00:00.000+09:00`.
    ///   - zone: What a time without a zone is in, such as `Z` or `+09:00`.
    /// - Returns: `nil` for anything else.
    package static func read(_ text: String, zone: String = "Z") -> Timestamp? {
        read(Array(text.utf8)[...], zone: zone)
    }

    /// Reads the bytes of such a text.
    static func read(_ text: ArraySlice<UInt8>, zone: String = "Z") -> Timestamp? {
        var time = Array(text)
        guard time.count >= 9, time.count <= 40 else { return nil }
        if time.allSatisfy({ (0x30...0x39).contains($0) }) {
            guard time.count <= 13, let number = Int64(String(decoding: time, as: UTF8.self)) else { return nil }
            return Timestamp(rawValue: time.count >= 12 ? number : number * 1_000)
        }
        let isUTC = time.suffix(4).elementsEqual(" UTC".utf8)
        if isUTC { time.removeLast(4) }
        guard time.count >= 10 else { return nil }
        if time.count == 10 { time += Array("T00:00:00".utf8) }
        guard time.count >= 16 else { return nil }
        if time[10] == 0x20 { time[10] = UInt8(ascii: "T") }
        if time.count == 16 { time += Array(":00".utf8) }
        return Timestamp(utf8: withZone(time, isUTC ? "Z" : zone)[...])
    }

    /// Reads a time from JSON, also the `$date` of MongoDB in its three forms.
    package static func read(_ value: JSONValue?, zone: String = "Z") -> Timestamp? {
        switch value {
        case .string(let text): read(text, zone: zone)
        case .integer(let number): read("\(number)", zone: zone)
        case .number(let number): number.isFinite && abs(number) < 1e15 ? read("\(Int64(number))", zone: zone) : nil
        case .object(let members):
            if let date = members["$date"] {
                read(date, zone: zone)
            } else {
                // MongoDB writes numbers of 64 bits as texts.
                members["$numberLong"].flatMap { read($0, zone: zone) } ?? nil
            }
        default: nil
        }
    }

    /// Adds the zone that is missing, and the colon of one like `+0900`.
    private static func withZone(_ time: [UInt8], _ zone: String) -> [UInt8] {
        var time = time
        if time.last == UInt8(ascii: "Z") || time.last == UInt8(ascii: "z") { return time }
        let sign = time.indices.dropFirst(19).last { time[$0] == UInt8(ascii: "+") || time[$0] == UInt8(ascii: "-") }
        guard let sign else {
            time += zone.utf8
            return time
        }
        switch time.count - sign {
        case 5: time.insert(UInt8(ascii: ":"), at: sign + 3)
        case 3: time += Array(":00".utf8)
        default: break
        }
        return time
    }
}
