package import CarillonModel
package import CarillonOperatorModel

/// What is looked for in the log.
package struct MessageLogQuery: Hashable, Sendable {
    /// Whose messages.
    package enum Subject: Hashable, Sendable {
        /// One Device's, whoever's it was.
        case device(DeviceID)
        /// A User's, on all Devices while they were the User's.
        case user(UserID)
        /// Everybody's; only with a Campaign.
        case everybody
    }

    package var app: AppID
    package var subject: Subject
    /// Only of this Campaign.
    package var campaign: CampaignID?
    /// Only firings from this one on.
    package var first: OccurrenceID
    /// Only firings before this one.
    package var end: OccurrenceID
    /// Whether messages between Users are among them.
    package var hasUserMessages = false
    /// Only what comes after this place.
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

/// A place in the log: the latest firing first, within one the Devices in the order in which they registered.
package struct MessageLogPosition: Hashable, Sendable {
    package var occurrence: OccurrenceID
    /// After this Device and push type; `nil` after all of the firing.
    package var row: DeliveryPosition?

    package init(occurrence: OccurrenceID, row: DeliveryPosition?) {
        self.occurrence = occurrence
        self.row = row
    }

    /// Reads a page's cursor; `nil` for anything that is none.
    package init?(cursor: String) {
        guard cursor.utf8.count <= 64 else { return nil }
        let parts = cursor.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = parts.first.flatMap({ Int64($0, radix: 36) }), number >= 0 else { return nil }
        let row = parts.count < 2 ? nil : DeliveryPosition(cursor: String(parts[1]))
        guard parts.count < 2 || row != nil else { return nil }
        self.init(occurrence: OccurrenceID(rawValue: number), row: row)
    }

    package var cursor: String {
        String(occurrence.rawValue, radix: 36) + (row.map { "-" + $0.cursor } ?? "")
    }

    /// Whether a row of the log stands after this place.
    package func isBefore(_ occurrence: OccurrenceID, _ other: DeliveryPosition) -> Bool {
        guard occurrence == self.occurrence else { return occurrence < self.occurrence }
        guard let row else { return false }
        return (row.device, row.pushType.order) < (other.device, other.pushType.order)
    }
}

extension PushType {
    /// The place of a push type among the rows of one Device.
    package var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A part of the log, as far as one read came.
package struct MessageLogPart: Hashable, Sendable {
    package var rows: [LoggedMessage]
    /// Where it goes on; `nil` at the end.
    package var next: MessageLogPosition?

    package init(rows: [LoggedMessage], next: MessageLogPosition?) {
        self.rows = rows
        self.next = next
    }
}

/// Reads what became of single notifications.
package protocol MessageLogStore: Sendable {
    /// The log from a place on.
    ///
    /// The work of one call is bounded, so that a part may have no rows and yet not be the last.
    ///
    /// - Parameters:
    ///   - query: What is looked for.
    ///   - limit: How many rows at most.
    /// - Returns: A part; `nil` when nothing is known of the Device or User.
    /// - Throws: ``StoreError``.
    func log(_ query: MessageLogQuery, limit: Int) async throws(StoreError) -> MessageLogPart?
}

/// What became of single notifications, for those who are asked "why did I not get it?".
///
/// There is nothing to switch on: it is made of deliveries and events, for as long as the App keeps them.
package struct MessageLog: Sendable {
    /// The most rows of a page.
    package static let maximumPage = 200

    private let store: any MessageLogStore
    private let apps: Apps

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - store: Reads what became of notifications.
    ///   - apps: Knows which Apps there are.
    package init(store: any MessageLogStore, apps: Apps) {
        self.store = store
        self.apps = apps
    }

    /// What became of notifications, those of the latest firing first.
    ///
    /// - Parameters:
    ///   - query: What is looked for.
    ///   - cursor: What the last page gave; `nil` for the first.
    ///   - limit: 1 through 200; others are brought into that range.
    /// - Returns: A page; it may be short, even empty, before the last.
    /// - Throws: ``EngineError/notFound(_:)`` when nothing is known of the App, Device or User;
    ///   ``EngineError/invalid(_:)`` for a cursor that no page gave, or when nothing is named.
    package func page(
        _ query: MessageLogQuery,
        cursor: String?,
        limit: Int
    ) async throws(EngineError) -> Page<LoggedMessage> {
        guard query.subject != .everybody || query.campaign != nil else {
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
