package import CarillonModel
import CarillonOperatorModel

/// Received messages, for people to read again.
///
/// An inbox has the latest hundred messages of the last thirty days that the push service accepted: no test sends, no
/// calls, no silent messages. The messages of a User's Devices, under any number they had while they belonged to the
/// User, share one inbox; in an App with open identity each Device has its own.
package struct Inboxes: Sendable {
    /// The maximum age of its messages.
    package static let age = Duration.seconds(30 * 86_400)

    let store: any InboxStore
    let contents: InboxContents
    private let clock: any WallClock

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Finds received messages.
    ///   - clock: Decides which are too old.
    package init(store: any InboxStore, clock: any WallClock) {
        self.store = store
        self.clock = clock
        contents = InboxContents(store: store)
    }

    /// Returns a Device's inbox in the Device's language, newest first.
    ///
    /// - Throws: ``EngineError/notFound(_:)``; ``EngineError/refused(_:)`` when the secret is not the Device's.
    package func inbox(app: AppID, device: DeviceID, secret: String) async throws(EngineError) -> Inbox {
        let listing = try await listing(app, device, secret, since: oldest)
        let contents = try await stored(
            try await self.contents.contents(of: listing.entries.map(\.occurrence), app: app)
        )
        var messages = listing.entries.compactMap { entry in
            contents[entry.occurrence].map { InboxMessage(entry, $0, language: listing.language) }
        }
        let fields = PersonalInbox.fields(of: messages, contents)
        if !fields.isEmpty {
            let personal = try await stored(
                try await PersonalInbox(messages, contents, fields, of: listing.device, app: app, from: store)
            )
            personal.fill(&messages, contents)
        }
        return Inbox(messages: messages)
    }

    /// Marks messages as read; ignores those that are not in the inbox.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - device: The Device.
    ///   - secret: The Device's secret.
    ///   - reading: The messages that were read.
    /// - Returns: How many are unread afterwards.
    /// - Throws: As ``inbox(app:device:secret:)``.
    package func read(
        app: AppID,
        device: DeviceID,
        secret: String,
        _ reading: InboxReading
    ) async throws(EngineError) -> Int {
        let oldest = oldest
        let listing = try await listing(app, device, secret, since: oldest)
        let unread = listing.entries.filter { !$0.isRead }
        let named = Set(reading.occurrences ?? [])
        let marked = reading.all ? unread : unread.filter { named.contains($0.occurrence) }
        if !marked.isEmpty {
            try await stored(try await store.markRead(marked, by: listing.owner, app: app, since: oldest))
        }
        return unread.count - marked.count
    }

    /// Erases a Device's events, read marks and inbox.
    ///
    /// With a User it also erases the history of the User's other Devices. Campaigns' counts stay.
    ///
    /// Call it before the Device is deleted, because it needs the former numbers; it may be repeated.
    ///
    /// - Throws: ``EngineError/store(_:)``; a part may be erased then.
    package func erase(app: AppID, device: DeviceID, user: UserID?) async throws(EngineError) {
        var position: OccurrenceID?
        repeat {
            let after = position
            position = try await stored(try await store.erase(app: app, device: device, user: user, after: after))
        } while position != nil
    }

    // MARK: - Private

    /// An Occurrence's id contains the time when it began.
    var oldest: OccurrenceID {
        let seconds = Self.age.components.seconds
        return OccurrenceID(milliseconds: clock.now().rawValue - 1_000 * seconds, sequence: 0)
    }

    private func listing(
        _ app: AppID,
        _ device: DeviceID,
        _ secret: String,
        since first: OccurrenceID
    ) async throws(EngineError) -> InboxListing {
        let answer = try await stored(
            try await store.listing(
                app: app,
                device: device,
                secretHash: SecretHash(of: secret),
                since: first,
                limit: Inbox.maximumCount
            )
        )
        switch answer {
        case .found(let listing): return listing
        case .refused: throw .refused(.wrongDeviceSecret)
        case .unknown: throw .notFound(.device)
        }
    }
}
