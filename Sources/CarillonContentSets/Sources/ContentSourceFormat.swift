/// What the server fetches from a source.
package enum ContentSourceFormat: String, Hashable, Sendable, Codable, CaseIterable {
    case csv, json, geojson, culture, gtfs, tdx
    /// A feed of GTFS-Realtime: when vehicles of the timetable come.
    case gtfsRealtime = "gtfs-realtime"
    /// Estimated arrivals of TDX (N1) of a city.
    case tdxArrivals = "tdx-arrivals"

    /// The format of its file; `nil` for real-time data, which makes no rows.
    package var file: ContentFormat? { ContentFormat(rawValue: rawValue) }

    /// Whether it is real-time data, which makes no rows.
    package var isRealtime: Bool { file == nil }

    /// Whether it is asked page by page for a city, with an access token.
    package var isTDX: Bool { self == .tdx || self == .tdxArrivals }

    /// Seconds between two fetches: from five minutes to thirty days for files, from fifteen seconds to an hour for
    /// real-time data.
    package var intervals: ClosedRange<Int> { isRealtime ? 15...3_600 : 300...2_592_000 }

    /// The seconds when a source does not say how many.
    package var usualInterval: Int { isRealtime ? 60 : 86_400 }
}
