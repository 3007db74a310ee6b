package import CarillonModel

/// An event with a valid receipt.
package struct EventRow: Hashable, Sendable {
    package var occurrence: OccurrenceID
    package var device: DeviceNumber
    package var kind: Event.Kind
    /// The button's id or the action's key; empty except for `action`.
    package var action: String
    package var reply: String?
    package var at: Timestamp
    /// The phone's position, if it sent one.
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

/// A position in degrees.
package struct EventPlace: Hashable, Sendable {
    /// -90 through 90.
    package var latitude: Double
    /// -180 through 180.
    package var longitude: Double

    /// Creates a position; `nil` when it is out of range.
    package init?(latitude: Double, longitude: Double) {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// Stores and counts events.
package protocol EventStore: Sendable {
    /// Saves new events and counts them by Occurrence and kind, in one transaction.
    ///
    /// An event is identified by Occurrence, Device, kind and action. At most sixteen actions of one notification are
    /// saved; further ones are treated as known.
    ///
    /// - Parameters:
    ///   - app: Their App.
    ///   - events: The events, with the phones' times.
    ///   - now: The wall clock.
    /// - Returns: How many are new.
    /// - Throws: ``StoreError``; nothing was saved then.
    func record(app: AppID, _ events: [EventRow], at now: Timestamp) async throws(StoreError) -> Int

    /// Returns the number of the Device without a secret whose token an Occurrence's notification was accepted for.
    ///
    /// - Returns: `nil` when there is none, also for a Device that has a secret or a tenant.
    func receiver(
        of occurrence: OccurrenceID,
        token: DeviceToken,
        app: AppID
    ) async throws(StoreError) -> DeviceNumber?
}
