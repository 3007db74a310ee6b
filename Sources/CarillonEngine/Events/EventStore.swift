package import CarillonModel

/// An event whose receipt was checked.
package struct EventRow: Hashable, Sendable {
    package var occurrence: OccurrenceID
    package var device: DeviceNumber
    package var kind: Event.Kind
    /// The button's id or the action's key; empty but for `action`.
    package var action: String
    package var reply: String?
    package var at: Timestamp
    /// Where the phone was, if it told.
    package var place: EventPlace?

    package init(
        occurrence: OccurrenceID,
        device: DeviceNumber,
        kind: Event.Kind,
        action: String,
        reply: String?,
        at: Timestamp,
        place: EventPlace? = nil
    ) {
        self.occurrence = occurrence
        self.device = device
        self.kind = kind
        self.action = action
        self.reply = reply
        self.at = at
        self.place = place
    }
}

/// Where something happened, in degrees.
package struct EventPlace: Hashable, Sendable {
    /// −90 through 90.
    package var latitude: Double
    /// −180 through 180.
    package var longitude: Double

    /// Takes a place; `nil` when it is none.
    package init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Keeps events and counts them.
package protocol EventStore: Sendable {
    /// Keeps those events that are not known and counts them by Occurrence and kind, in one transaction.
    ///
    /// An event is known when Occurrence, Device, kind and action are. Of one notification at most sixteen actions are
    /// kept; further ones are taken for known.
    ///
    /// - Returns: How many are new.
    func record(app: AppID, _ events: [EventRow]) async throws(StoreError) -> Int
}
