package import CarillonModel
package import CarillonOperatorModel

/// A filter of the message log.
package struct MessageLogQuery: Hashable, Sendable {
    /// Whose messages.
    package enum Subject: Hashable, Sendable {
        /// A Device's messages, under all of its Users.
        case device(DeviceID)
        /// A User's messages, on all Devices while they belonged to the User.
        case user(UserID)
        /// All messages; only with a Campaign, or of failures alone.
        case everybody
    }

    package var app: AppID
    package var subject: Subject
    /// Only of this Campaign.
    package var campaign: CampaignID?
    /// Only this firing and later ones.
    package var first: OccurrenceID
    /// Only firings before this one.
    package var end: OccurrenceID
    /// Whether messages between Users are included.
    package var hasUserMessages = false
    /// Whether only what failed, expired or was a duplicate is included; for everybody only.
    package var isAboutFailures = false
    /// Only rows after this position.
    package var after: MessageLogPosition?

    package init(
        app: AppID,
        subject: Subject,
        campaign: CampaignID? = nil,
        first: OccurrenceID = OccurrenceID(rawValue: 0),
        end: OccurrenceID = OccurrenceID(rawValue: .max),
        after: MessageLogPosition? = nil
    ) {
        self.app = app
        self.subject = subject
        self.campaign = campaign
        self.first = first
        self.end = end
        self.after = after
    }
}

/// A position in the log: latest firing first, within one the Devices in the order in which they registered.
package struct MessageLogPosition: Hashable, Sendable {
    package var occurrence: OccurrenceID
    /// After this Device and push type; `nil` after all of the firing.
    package var row: DeliveryPosition?

    package init(occurrence: OccurrenceID, row: DeliveryPosition?) {
        self.occurrence = occurrence
        self.row = row
    }

    /// Parses a page's cursor; `nil` when it is invalid.
    package init?(cursor: String) {
        guard cursor.utf8.count <= 64 else { return nil }
        guard cursor.hasPrefix("o.") else { return nil }
        let parts = cursor.dropFirst(2).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = parts.first.flatMap({ Int64($0, radix: 36) }), number >= 0 else { return nil }
        let row = parts.count < 2 ? nil : DeliveryPosition(cursor: String(parts[1]))
        guard parts.count < 2 || row != nil else { return nil }
        self.init(occurrence: OccurrenceID(rawValue: number), row: row)
    }

    package var cursor: String {
        "o." + String(occurrence.rawValue, radix: 36) + (row.map { "-" + $0.cursor } ?? "")
    }

    /// Whether a row of the log comes after this position.
    package func isBefore(_ occurrence: OccurrenceID, _ other: DeliveryPosition) -> Bool {
        guard occurrence == self.occurrence else { return occurrence < self.occurrence }
        guard let row else { return false }
        return (row.device, row.pushType.order) < (other.device, other.pushType.order)
    }
}

extension PushType {
    /// The position of a push type among the rows of one Device.
    package var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A part of the log, with the position that the read reached.
package struct MessageLogPart: Hashable, Sendable {
    package var rows: [LoggedMessage]
    /// Where the log continues; `nil` at the end.
    package var next: MessageLogPosition?

    package init(rows: [LoggedMessage], next: MessageLogPosition?) {
        self.rows = rows
        self.next = next
    }
}

/// Reads the outcomes of single notifications.
package protocol MessageLogStore: Sendable {
    /// Returns the log from a position on.
    ///
    /// One call does bounded work, so a part without rows need not be the last.
    ///
    /// - Parameters:
    ///   - query: The filter.
    ///   - limit: The maximum number of rows.
    /// - Returns: A part; `nil` when the Device or User is unknown.
    /// - Throws: ``StoreError``.
    func log(_ query: MessageLogQuery, limit: Int) async throws(StoreError) -> MessageLogPart?
}

/// The outcomes of single notifications, to answer "why did I not get it?".
///
/// It reads deliveries and events for as long as the App stores them, so nothing has to be enabled.
package struct MessageLog: Sendable {
    /// Maximum number of rows of a page.
    package static let maximumPage = 200

    private let store: any MessageLogStore
    private let apps: Apps

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Reads the outcomes.
    ///   - apps: Checks that an App exists.
    package init(store: any MessageLogStore, apps: Apps) {
        self.store = store
        self.apps = apps
    }

    /// Returns outcomes of notifications, those of the latest firing first.
    ///
    /// - Parameters:
    ///   - query: The filter.
    ///   - cursor: The cursor of the page before; `nil` for the first.
    ///   - limit: 1 through 200; other values are clamped.
    /// - Returns: A page; it may be short, even empty, before the last.
    /// - Throws: ``EngineError/notFound(_:)`` when the App, Device or User is unknown; ``EngineError/invalid(_:)`` for
    ///   an invalid cursor, or when the query names neither Device, User nor Campaign.
    package func page(
        _ query: MessageLogQuery,
        cursor: String?,
        limit: Int
    ) async throws(EngineError) -> Page<LoggedMessage> {
        guard query.subject != .everybody || query.campaign != nil || query.isAboutFailures else {
            throw .wrong("device", "or user or campaign is required")
        }
        let after = cursor.flatMap(MessageLogPosition.init(cursor:))
        guard cursor == nil || after != nil else { throw .wrong("cursor", "must be the nextCursor of a page") }
        _ = try await apps.facts(query.app)
        var query = query
        query.after = after
        let asked = query
        let part = try await stored(try await store.log(asked, limit: min(max(1, limit), Self.maximumPage)))
        guard let part else { throw .notFound(query.subject.notFound) }
        return Page(items: part.rows, nextCursor: part.next?.cursor)
    }
}

extension MessageLogQuery.Subject {
    fileprivate var notFound: EngineError.Subject {
        switch self {
        case .device: .device
        case .user: .user
        case .everybody: .campaign
        }
    }
}
