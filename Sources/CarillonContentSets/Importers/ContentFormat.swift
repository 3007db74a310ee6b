/// What a file is.
package enum ContentFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// Comma-separated values with a header (RFC 4180).
    case csv
    /// Objects of JSON: an array, one in each line, or an array in an object.
    case json
    /// A FeatureCollection of GeoJSON (RFC 7946).
    case geojson
    /// Events of Taiwan's Ministry of Culture.
    case culture
    /// A zip archive of GTFS Schedule.
    case gtfs
    /// Bus stops and routes of Taiwan's TDX: an object with the arrays `Stop`, `Route` and `StopOfRoute`.
    case tdx

    /// Whether a file fills one table of any name.
    package var fillsOneTable: Bool { tables.isEmpty }

    /// The tables that a file fills, by their names; empty where it is one of any name.
    package var tables: [String] {
        switch self {
        case .csv, .json, .geojson: []
        case .culture: ["events"]
        case .gtfs, .tdx: ["stops", "routes"]
        }
    }
}
