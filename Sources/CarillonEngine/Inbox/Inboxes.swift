package import CarillonModel
import CarillonOperatorModel

/// What came to Devices, for people to read again.
///
/// There are the latest hundred messages of the last thirty days that the push service accepted: no test sends, no
/// calls, nothing silent. What came to a User's Devices, under any number they had while they were the User's, is in
/// one inbox; in an App where anybody may claim a User, each Device's is its own.
package struct Inboxes: Sendable {
    /// How far it goes back.
    package static let age = Duration.seconds(30 * 86_400)

    private let store: any InboxStore
    private let contents: InboxContents
    private let clock: any WallClock

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - store: Finds what came.
    ///   - clock: Tells what is too old.
    package init(store: any InboxStore, clock: any WallClock) {
        self.store = store
        self.clock = clock
        contents = InboxContents(store: store)
    }

    /// A Device's inbox in the Device's language, newest first.
    ///
    /// - Throws: ``EngineError/notFound(_:)``, ``EngineError/refused(_:)`` for another secret than the Device's.
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

    /// Marks messages as read; what is not in the inbox is passed over.
    ///
    /// - Parameters:
    ///   - app: Whose Device.
    ///   - device: Which.
    ///   - secret: What proves that the Device asks.
    ///   - reading: What was read.
    /// - Returns: How many are unread after that.
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

    /// Erases what a Device reported and read, and what is in its inbox.
    ///
    /// With a User it also erases what the User's other Devices did. Campaigns' counts stay.
    ///
    /// It is to be called before the Device is deleted, whose former numbers it needs; doing it again does no harm.
    ///
    /// - Throws: ``EngineError/store(_:)``; some of it may be erased then.
    package func erase(app: AppID, device: DeviceID, user: UserID?) async throws(EngineError) {
        var position: OccurrenceID?
        repeat {
            let after = position
            position = try await stored(try await store.erase(app: app, device: device, user: user, after: after))
        } while position != nil
    }

    // MARK: - Private

    /// An Occurrence's id tells when it began.
    private var oldest: OccurrenceID {
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
