import CarillonEngine
import CarillonModel
import CarillonSQL

/// How many new events of each Occurrence and kind a batch has: totals, actions by key, and the series in time.
struct EventAccumulator {
    /// What `event_counts` calls actions that came with a text; they are counted as actions too.
    static let replyCode: Int64 = 100
    /// How many action keys of an Occurrence are told apart: phones may name any.
    private static let actionLimit = 100

    private struct Key: Hashable, Comparable {
        var occurrence: OccurrenceID
        var kind: Int64

        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.occurrence, lhs.kind) < (rhs.occurrence, rhs.kind) }
    }

    private struct ActionKey: Hashable, Comparable {
        var occurrence: OccurrenceID
        var action: String

        static func < (lhs: Self, rhs: Self) -> Bool { (lhs.occurrence, lhs.action) < (rhs.occurrence, rhs.action) }
    }

    private let app: AppID
    private var statistics: StatisticsAccumulator
    private var totals: [Key: Int] = [:]
    private var actions: [ActionKey: Int] = [:]

    init(app: AppID) {
        self.app = app
        statistics = StatisticsAccumulator(app: app)
    }

    /// Enters an event that is new.
    mutating func add(_ event: EventRow) {
        totals[Key(occurrence: event.occurrence, kind: event.kind.code), default: 0] += 1
        statistics.add(1, event.kind.statisticsKind, of: event.occurrence, at: event.at)
        guard event.kind == .action else { return }
        actions[ActionKey(occurrence: event.occurrence, action: event.action), default: 0] += 1
        guard event.reply != nil else { return }
        totals[Key(occurrence: event.occurrence, kind: Self.replyCode), default: 0] += 1
        statistics.add(1, .reply, of: event.occurrence, at: event.at)
    }

    /// Adds the events to the counters, in the transaction that wrote them.
    func write(to connection: any SQLConnection) throws {
        for (key, count) in totals.sorted(by: { $0.key < $1.key }) {
            try connection.events.add(count, kind: key.kind, of: key.occurrence, app: app)
        }
        var known =
            actions.isEmpty ? [:] : try connection.events.actions(of: Set(actions.keys.map(\.occurrence)), app: app)
        for (key, count) in actions.sorted(by: { $0.key < $1.key }) {
            // Nodes that ask at once may let a few more through, which does no harm.
            let isKnown = known[key.occurrence]?.contains(key.action) ?? false
            let isToldApart = isKnown || known[key.occurrence]?.count ?? 0 < Self.actionLimit
            if isToldApart { known[key.occurrence, default: []].insert(key.action) }
            try connection.events.add(count, action: isToldApart ? key.action : "", of: key.occurrence, app: app)
        }
        try statistics.write(to: connection)
    }
}

extension Event.Kind {
    fileprivate var statisticsKind: StatisticsKind {
        switch self {
        case .received: .received
        case .opened: .opened
        case .dismissed: .dismissed
        case .action: .action
        case .launched: .launched
        }
    }
}

extension EventTable {
    fileprivate func add(_ count: Int, kind: Int64, of occurrence: OccurrenceID, app: AppID) throws {
        try connection.send(
            connection.dialect.pick(
                sqlite: """
                    INSERT INTO event_counts (app_id, occurrence_id, kind, count, slot) VALUES ($1, $2, $3, $4, 0)
                    ON CONFLICT (app_id, occurrence_id, kind, slot)
                    DO UPDATE SET count = event_counts.count + excluded.count
                    """,
                postgreSQL: """
                    INSERT INTO event_counts (app_id, occurrence_id, kind, count, slot)
                    VALUES ($1, $2, $3, $4, pg_backend_pid())
                    ON CONFLICT (app_id, occurrence_id, kind, slot)
                    DO UPDATE SET count = event_counts.count + excluded.count
                    """
            ),
            app,
            occurrence,
            kind,
            count
        )
    }

    fileprivate func add(_ count: Int, action: String, of occurrence: OccurrenceID, app: AppID) throws {
        try connection.send(
            connection.dialect.pick(
                sqlite: """
                    INSERT INTO action_counts (app_id, occurrence_id, action, count, slot) VALUES ($1, $2, $3, $4, 0)
                    ON CONFLICT (app_id, occurrence_id, action, slot)
                    DO UPDATE SET count = action_counts.count + excluded.count
                    """,
                postgreSQL: """
                    INSERT INTO action_counts (app_id, occurrence_id, action, count, slot)
                    VALUES ($1, $2, $3, $4, pg_backend_pid())
                    ON CONFLICT (app_id, occurrence_id, action, slot)
                    DO UPDATE SET count = action_counts.count + excluded.count
                    """
            ),
            app,
            occurrence,
            action,
            count
        )
    }

    /// The actions that are told apart, the one of all others among them.
    fileprivate func actions(
        of occurrences: Set<OccurrenceID>,
        app: AppID
    ) throws -> [OccurrenceID: Set<String>] {
        let rows = try connection.all(
            connection.dialect.pick(
                sqlite: """
                    SELECT DISTINCT occurrence_id, action FROM action_counts
                    WHERE app_id = $1 AND occurrence_id IN (SELECT value FROM json_each($2))
                    """,
                postgreSQL: """
                    SELECT DISTINCT occurrence_id, action FROM action_counts
                    WHERE app_id = $1 AND occurrence_id = ANY(ARRAY(SELECT unnest(CAST(CAST($2 AS TEXT) AS BIGINT[]))))
                    """
            ),
            app,
            SQLList(occurrences.lazy.map(\.rawValue), connection.dialect),
            as: (OccurrenceID, String).self
        )
        return Dictionary(grouping: rows, by: \.0).mapValues { Set($0.map(\.1)) }
    }
}
