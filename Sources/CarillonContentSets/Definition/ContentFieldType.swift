/// What a field holds.
package enum ContentFieldType: String, Hashable, Sendable, Codable, CaseIterable {
    case text
    case integer
    case number
    case boolean
    /// An instant; texts without an offset are of the definition's time zone.
    case time
    /// A latitude and a longitude in degrees (WGS 84).
    case position
    /// An absolute address with http or https.
    case url
    /// Up to 1,000 texts.
    case list
    /// Any JSON, which cannot be searched.
    case json

    /// Whether rows can be looked up by its values.
    package var canBeIndexed: Bool {
        switch self {
        case .text, .integer, .boolean, .list, .url: true
        case .number, .time, .position, .json: false
        }
    }

    /// Whether its words can be searched.
    package var canBeSearched: Bool { self == .text || self == .list }

    /// Whether rows can be ordered by it.
    package var canBeOrdered: Bool {
        switch self {
        case .text, .integer, .number, .boolean, .time, .url: true
        case .position, .list, .json: false
        }
    }
}
