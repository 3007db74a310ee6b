public import Foundation

/// A place in degrees (WGS 84).
public struct Position: Hashable, Sendable {
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double

    /// Latitude and longitude with four decimals, some ten metres.
    public var text: String {
        [latitude, longitude].map { "\(($0 * 10_000).rounded() / 10_000)" }.joined(separator: ", ")
    }

    /// Creates a position.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north.
    ///   - longitude: Degrees east.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A session of an event: the server has a row for each, and those of an event stand together.
public struct EventSession: Hashable, Sendable, Identifiable {
    /// The session's id.
    public var id: String
    /// The id of its event.
    public var event: String
    /// The event's title.
    public var title: String
    /// When it begins.
    public var startsAt: Date?
    /// The venue's name; empty when unknown.
    public var place = ""
    /// The venue's street address; empty when unknown.
    public var address = ""
    /// Where the venue is.
    public var position: Position?
    /// The price as the organizer writes it; empty when unknown.
    public var price = ""
    /// Whether nothing is paid.
    public var isFree = false
    /// The event's picture.
    public var image: URL?
    /// What the event is; empty when nobody described it.
    public var description = ""
    /// The event's first day, `2026-11-26`; empty when unknown.
    public var startDate = ""
    /// The event's last day; empty when unknown.
    public var endDate = ""
    /// Who organizes it; empty when unknown.
    public var organizer = ""
    /// Where the data are from, which is where tickets are sold; empty when unknown.
    public var source = ""
    /// Where tickets are sold.
    public var ticketURL: URL?

    /// Creates a session; set what else is known after that.
    ///
    /// - Parameters:
    ///   - id: The session's id.
    ///   - event: The id of its event.
    ///   - title: The event's title.
    ///   - startsAt: When it begins.
    public init(id: String, event: String, title: String, startsAt: Date? = nil) {
        self.id = id
        self.event = event
        self.title = title
        self.startsAt = startsAt
    }
}
