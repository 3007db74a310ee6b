import CarillonEngine
import CarillonModel
import CarillonSQL

/// One step of dropping old rows of an App. Where rows lie in the order of time, a step ends after so many; where they lie
/// in the order of Devices or Users, it looks at so many and drops the old ones among them.
extension RetentionQueries {
    func drop(
        _ subject: RetentionSubject,
        of app: AppID,
        before time: Timestamp,
        after cursor: RetentionCursor,
        limit: Int
    ) throws -> RetentionCursor? {
        let end = time.firstOccurrence
        switch subject {
        case .deliveries: return try dropDeliveries(app, end, cursor, limit)
        case .events:
            return try dropNumbered(
                (RetentionSQL.lastEvent, RetentionSQL.dropEvents, RetentionSQL.dropWholeEvents),
                app,
                end,
                cursor,
                limit
            )
        case .campaignMinutes:
            return try dropNumbered(
                (
                    RetentionSQL.lastCampaignMinute, RetentionSQL.dropCampaignMinutes,
                    RetentionSQL.dropWholeCampaignMinutes
                ),
                app,
                end,
                cursor,
                limit
            )
        case .minutes: return try dropFigures(app, unit: 1, before: time, cursor, limit)
        case .halfHours: return try dropFigures(app, unit: StatisticsAccumulator.longSpan, before: time, cursor, limit)
        case .inboxBroadcasts: return try dropBroadcasts(app, end, cursor, limit)
        case .inboxRows: return try dropInboxRows(app, end, cursor, limit)
        case .deviceReads: return try dropDeviceReads(app, end, cursor, limit)
        case .userReads: return try dropUserReads(app, end, cursor, limit)
        case .webhookMessages: return try dropWebhookMessages(app, time, cursor, limit)
        case .webhookOutbox: return try dropWebhookOutbox(app, time, cursor, limit)
        case .campaigns: return try dropCampaigns(app, time, cursor, limit)
        case .occurrences: return try dropOccurrences(app, time, cursor, limit)
        case .userMessages: return try dropUserMessages(app, time, cursor, limit)
        case .lists: return try dropLists(app, time, cursor, limit)
        case .deletedDevices: return try dropDeletedDevices(app, time, cursor, limit)
        }
    }

    // MARK: - Private

    /// Has the planner take an index for a step, whatever it knows of how many rows there are.
    func preferIndexes() throws {
        guard connection.dialect == .postgreSQL else { return }
        try connection.send(
            """
            SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
                set_config('enable_sort', 'off', true)
            """
        )
    }

    /// Drops the next rows up to the next Occurrence that is not over, whose rows keep it from being sent again.
    ///
    /// - Parameters:
    ///   - app: Whose.
    ///   - end: The first Occurrence that stays.
    ///   - cursor: Where the last step ended.
    ///   - last: Finds the last of the rows of a step, before an Occurrence; `nil` when there are not that many.
    ///   - delete: Deletes the rows after the cursor through a place.
    /// - Returns: Where the step ended; `nil` when nothing is left.
    /// - Throws: ``StoreError``.
    private func dropByOccurrence(
        _ app: AppID,
        _ end: Int64,
        _ cursor: RetentionCursor,
        last: (Int64) throws -> RetentionCursor?,
        delete: (RetentionCursor) throws -> Void
    ) throws -> RetentionCursor? {
        try preferIndexes()
        let open: Int64? =
            try connection.first(RetentionSQL.nextOpen, app, cursor.occurrence, end, as: Int64?.self) ?? nil
        let bound = open ?? end
        if let last = try last(bound) {
            try delete(last)
            return last
        }
        try delete(.end(of: bound - 1))
        return open.map { RetentionCursor.end(of: $0) }
    }

    /// Deletes what lies between two places: the rest of the first one's Occurrence, those in between, and the beginning
    /// of the last one's.
    ///
    /// - Parameters:
    ///   - cursor: The place before the first row.
    ///   - last: The last row's place.
    ///   - part: Deletes the rows of one Occurrence after a place through another.
    ///   - whole: Deletes the Occurrences after one and before another.
    /// - Throws: ``StoreError``.
    private func delete(
        after cursor: RetentionCursor,
        through last: RetentionCursor,
        part: (RetentionCursor, RetentionCursor) throws -> Void,
        whole: (Int64, Int64) throws -> Void
    ) throws {
        guard cursor.occurrence < last.occurrence else { return try part(cursor, last) }
        try part(cursor, .end(of: cursor.occurrence))
        try whole(cursor.occurrence, last.occurrence)
        try part(.beginning(of: last.occurrence), last)
    }

    private func dropDeliveries(
        _ app: AppID,
        _ end: Int64,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        try dropByOccurrence(app, end, cursor) { bound in
            try connection.first(
                RetentionSQL.lastDelivery,
                app,
                cursor.occurrence,
                cursor.number,
                cursor.part,
                bound,
                limit - 1,
                as: (Int64, Int64, Int64).self
            ).map { RetentionCursor(number: $1, text: "", occurrence: $0, part: $2) }
        } delete: { last in
            try delete(after: cursor, through: last) { (first, last) in
                try connection.run(
                    RetentionSQL.dropDeliveries,
                    app,
                    first.occurrence,
                    first.number,
                    last.number,
                    first.part,
                    last.part
                )
            } whole: { (begin, end) in
                try connection.run(RetentionSQL.dropWholeDeliveries, app, begin, end)
            }
        }
    }

    /// Deletes rows of Occurrences that are numbered within each: events, or minutes of Campaigns.
    private func dropNumbered(
        _ statements: (last: SQL, part: SQL, whole: SQL),
        _ app: AppID,
        _ end: Int64,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        try dropByOccurrence(app, end, cursor) { bound in
            try connection.first(
                statements.last,
                app,
                cursor.occurrence,
                cursor.number,
                bound,
                limit - 1,
                as: (Int64, Int64).self
            ).map { RetentionCursor(number: $1, text: "", occurrence: $0) }
        } delete: { last in
            try delete(after: cursor, through: last) { (first, last) in
                try connection.run(statements.part, app, first.occurrence, first.number, last.number)
            } whole: { (begin, end) in
                try connection.run(statements.whole, app, begin, end)
            }
        }
    }

    private func dropBroadcasts(
        _ app: AppID,
        _ end: Int64,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        try dropByOccurrence(app, end, cursor) { bound in
            try connection.first(RetentionSQL.lastBroadcast, app, cursor.occurrence, bound, limit - 1, as: Int64.self)
                .map { RetentionCursor(number: .max, text: "", occurrence: $0) }
        } delete: { last in
            try connection.run(RetentionSQL.dropBroadcasts, app, cursor.occurrence, last.occurrence)
        }
    }

    private func dropFigures(
        _ app: AppID,
        unit: Int64,
        before time: Timestamp,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        try preferIndexes()
        let end = time.rawValue / 60_000
        let last = try connection.first(
            RetentionSQL.lastMinute,
            app,
            unit,
            cursor.number,
            end,
            limit - 1,
            as: Int64.self
        )
        try connection.run(RetentionSQL.dropMinutes, app, unit, cursor.number, end, last ?? end)
        return last.map { RetentionCursor(number: $0, text: "", occurrence: -1) }
    }
}

extension RetentionCursor {
    /// Before all rows of an Occurrence.
    fileprivate static func beginning(of occurrence: Int64) -> RetentionCursor {
        RetentionCursor(number: -1, text: "", occurrence: occurrence)
    }

    /// Behind all rows of an Occurrence; push types are small.
    static func end(of occurrence: Int64) -> RetentionCursor {
        RetentionCursor(number: .max, text: "", occurrence: occurrence, part: Int64(Int16.max))
    }
}
