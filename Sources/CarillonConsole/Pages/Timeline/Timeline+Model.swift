import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// What happened to a Device or a User, the latest first.
enum Timeline {
    /// A kind of what happened; the page shows all, or one.
    enum Kind: String, Hashable, Sendable, CaseIterable {
        case registrations, tokens, consents, deliveries, events
    }

    /// What happened.
    enum What: Hashable, Sendable {
        /// The Device registered for the first time.
        case registered
        /// The Device registered again, the last time.
        case registeredAgain
        /// A token was registered: its first and last characters.
        case token(String, PushType)
        /// Apple refused the token, so that it is not used any more, or waits.
        case tokenRefused(LoggedMessage)
        case consent(ConsentChange)
        case delivery(LoggedMessage)
        case received(LoggedMessage)
        case opened(LoggedMessage)
        case dismissed(LoggedMessage)
        case launched(LoggedMessage)
        case action(String, LoggedMessage)

        var kind: Kind {
            switch self {
            case .registered, .registeredAgain: .registrations
            case .token, .tokenRefused: .tokens
            case .consent: .consents
            case .delivery: .deliveries
            case .received, .opened, .dismissed, .launched, .action: .events
            }
        }
    }

    /// One thing that happened.
    struct Item: Hashable, Sendable {
        var at: Timestamp
        var what: What
        var device: DeviceID?
    }

    /// Where a page begins: what happened before a time, and deliveries after a cursor of their log.
    ///
    /// Events stand on the page of their delivery, whose row in the log has them.
    struct Position: Hashable, Sendable {
        var before: Int64
        /// `nil` for the log's first page.
        var cursor: String?
        /// Whether the log has ended.
        var isLogOver = false

        /// Parses a position; `nil` when it is none.
        init?(_ text: String) {
            let parts = text.split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
            guard text.utf8.count <= 100, parts.count == 2, let before = Int64(parts[0]) else { return nil }
            self.before = before
            isLogOver = parts[1] == "end"
            if !isLogOver, !parts[1].isEmpty {
                guard MessageLogPosition(cursor: String(parts[1])) != nil else { return nil }
                cursor = String(parts[1])
            }
        }

        init(before: Int64, cursor: String?, isLogOver: Bool) {
            (self.before, self.cursor, self.isLogOver) = (before, cursor, isLogOver)
        }

        static let newest = Position(before: .max, cursor: nil, isLogOver: false)

        var text: String { "\(before)~\(isLogOver ? "end" : cursor ?? "")" }
    }

    /// The query of a page.
    struct Query: Hashable, Sendable {
        /// Only this kind; `nil` for all.
        var kind: Kind?
        var position: Position?

        init(kind: Kind? = nil, position: Position? = nil) { (self.kind, self.position) = (kind, position) }

        /// Reads the query; what is malformed counts as missing.
        init(_ fields: FormFields) {
            kind = fields["kind"].flatMap(Kind.init(rawValue:))
            position = fields["after"].flatMap { Position($0) }
        }

        var fields: FormFields { FormFields().setting(["kind": kind?.rawValue, "after": position?.text]) }

        /// Whether deliveries are read: their rows tell of events and of refused tokens as well.
        var needsLog: Bool { kind != .registrations && kind != .consents }

        func shows(_ item: Item) -> Bool { kind == nil || item.what.kind == kind }
    }

    /// A page of the timeline.
    struct Page: Hashable, Sendable {
        var query: Query
        var items: [Item]
        /// Where the next page begins; `nil` at the end.
        var next: Position?
    }
}
