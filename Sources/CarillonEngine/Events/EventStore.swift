package import CarillonModel

/// An event whose receipt was checked.
package struct EventRow: Hashable, Sendable {
    package var occurrence: OccurrenceID
    package var device: DeviceNumber
    package var kind: Event.Kind
    /// The button's id; empty but for `action`.
    package var action: String
    package var reply: String?
    package var at: Timestamp

    package init(
        occurrence: OccurrenceID,
        device: DeviceNumber,
        kind: Event.Kind,
        action: String,
        reply: String?,
        at: Timestamp
    ) {
        self.occurrence = occurrence
        self.device = device
        self.kind = kind
        self.action = action
        self.reply = reply
        self.at = at
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
