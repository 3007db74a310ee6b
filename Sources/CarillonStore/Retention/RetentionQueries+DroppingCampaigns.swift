import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// A Campaign as far as it tells whether it goes.
private struct SeenCampaign {
    var id: Int64
    var isOld: Bool
    var isPaused: Bool
}

private enum DroppedOccurrenceColumn: Int, SQLColumn { case id, campaignID }

/// Campaigns of one firing's use that are over: test sends and transactional ones, and messages between Users.
///
/// They go in sets, with their Occurrences, contents and counts, and with what is left of their deliveries and events.
/// Figures by time stay.
extension RetentionQueries {
    /// How many Campaigns go in one step.
    private static var campaignLimit: Int { 50 }
    /// How many Occurrences go in one step.
    static var occurrenceLimit: Int { 64 }
    /// How many numbers of Devices a step drops from inboxes.
    private static var placeLimit: Int { 500 }

    func dropCampaigns(
        _ app: AppID,
        _ time: Timestamp,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        let seen = try campaigns(of: .campaign, finishedBefore: time, app, after: cursor, limit)
        return try dropCampaigns(seen, app, cursor, limit)
    }

    /// Messages between Users, with what is in inboxes of them.
    ///
    /// One that is paused all that time is cancelled, and goes the next time.
    func dropUserMessages(
        _ app: AppID,
        _ time: Timestamp,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        let seen = try campaigns(of: .userMessage, finishedBefore: time, app, after: cursor, limit)
        for paused in seen.lazy.filter({ $0.isPaused }).prefix(Self.campaignLimit) {
            let id = CampaignID(rawValue: paused.id)
            try connection.lock(.campaign(id))
            if let campaign = try connection.campaigns.campaign(id, within: app) {
                try connection.campaigns.cancel(campaign, at: time)
            }
        }
        let done = try dropInboxRows(of: seen, app)
        return try dropCampaigns(done, app, cursor, done.count < seen.count ? done.count : limit)
    }

    // MARK: - Private

    /// Drops what is in inboxes of messages that are old enough, as many as a step may.
    ///
    /// - Returns: Those that were looked at: an App may let thousands of Devices claim one User.
    private func dropInboxRows(of seen: [SeenCampaign], _ app: AppID) throws -> [SeenCampaign] {
        var (places, messages) = (0, 0)
        for (index, campaign) in seen.enumerated() where campaign.isOld {
            guard let message = try connection.campaigns.campaign(CampaignID(rawValue: campaign.id), within: app) else {
                continue
            }
            places += try dropInboxRows(of: message)
            messages += 1
            if places >= Self.placeLimit || messages == Self.campaignLimit { return Array(seen[...index]) }
        }
        return seen
    }

    /// The next Campaigns of a kind that were made before a time; messages between Users are all of one firing's use.
    private func campaigns(
        of kind: CampaignKind,
        finishedBefore time: Timestamp,
        _ app: AppID,
        after cursor: RetentionCursor,
        _ limit: Int
    ) throws -> [SeenCampaign] {
        try preferIndexes()
        return try connection.all(
            """
            SELECT id, CASE WHEN finished_at IS NOT NULL AND finished_at < $1
                AND (kind = 1 OR is_test = 1 OR timing LIKE '%"isTransactional":true%') THEN 1 ELSE 0 END,
                CASE WHEN state = 'paused' THEN 1 ELSE 0 END
            FROM campaigns WHERE app_id = $2 AND kind = $3 AND id > $4 AND id < $5 ORDER BY id LIMIT $6
            """,
            time,
            app,
            kind.rawValue,
            cursor.number,
            CampaignID(milliseconds: time.rawValue, sequence: 0),
            limit,
            as: (Int64, Bool, Bool).self
        ).map { SeenCampaign(id: $0, isOld: $1, isPaused: $2) }
    }

    /// Drops those that are old enough of some Campaigns that lie after the cursor, as many as a step may.
    private func dropCampaigns(
        _ seen: [SeenCampaign],
        _ app: AppID,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        let old = seen.filter { $0.isOld }.map { $0.id }.prefix(Self.campaignLimit)
        guard let last = seen.last?.id, !old.isEmpty else {
            return seen.count < limit ? nil : seen.last.map { RetentionCursor(number: $0.id, text: "", occurrence: -1) }
        }
        // Those of one Campaign are as much as a step may delete, or more.
        if let list = try connection.recipients.listWithRecipients(
            among: Array(old).padded(to: Self.campaignLimit),
            app
        ) {
            try connection.recipients.deleteSome(of: list, app: app)
            return cursor
        }
        let (whole, place) = try dropOccurrences(of: Array(old), app, after: cursor, limit)
        if !whole.isEmpty {
            var delete = ComposedSQL()
            delete.append("DELETE FROM campaigns WHERE app_id = ")
            delete.bind(.app)
            delete.append(" AND id IN (")
            delete.bind(list: whole.padded(to: Self.campaignLimit).map { .integer($0) })
            delete.append(")")
            try runComposed(delete, app)
        }
        // What is not done is looked at again; what lies behind the last of a full set, too.
        guard whole.count == old.count, let through = whole.last else {
            var next = place ?? .start
            next.number = whole.last ?? cursor.number
            return next
        }
        let isFull = old.count == Self.campaignLimit
        guard isFull || seen.count == limit else { return nil }
        return RetentionCursor(number: isFull ? through : last, text: "", occurrence: -1)
    }

    /// Drops Occurrences of some Campaigns, as many as a step may.
    ///
    /// - Returns: The Campaigns that have none any more, in their order, and where an Occurrence is not yet empty.
    private func dropOccurrences(
        of campaigns: [Int64],
        _ app: AppID,
        after cursor: RetentionCursor,
        _ limit: Int
    ) throws -> (whole: [Int64], place: RetentionCursor?) {
        var select = ComposedSQL()
        select.append("SELECT \(DroppedOccurrenceColumn.list) FROM occurrences WHERE app_id = ")
        select.bind(.app)
        select.append(" AND campaign_id IN (")
        select.bind(list: campaigns.padded(to: Self.campaignLimit).map { .integer($0) })
        select.append(") ORDER BY campaign_id, id LIMIT ")
        select.bind(.limit)
        let statement = try connection.prepare(select)
        select.bind(to: statement) { $0 == .app ? app.rawValue : Int64(Self.occurrenceLimit + 1) }
        var found: [(id: Int64, campaign: Int64)] = []
        let row = SQLRow<DroppedOccurrenceColumn>(statement)
        while try statement.next() { found.append((try row[.id], try row[.campaignID])) }
        statement.reset()

        var some = Array(found.prefix(Self.occurrenceLimit))
        if try !dropRows(of: some.map { $0.id }, app, limit) {
            // One that went to many is emptied by itself, some rows a step.
            guard let first = some.first else { return (campaigns, nil) }
            let device = cursor.occurrence == first.id ? cursor.part : -1
            if let last = try dropSomeRows(of: first.id, app, after: device, limit) {
                let place = RetentionCursor(number: -1, text: "", occurrence: first.id, part: last)
                return (campaigns.filter { $0 < first.campaign }, place)
            }
            some = [first]
        }
        if !some.isEmpty {
            for table in Self.tablesOfOccurrences { try deleteOccurrences(some.map { $0.id }, from: table, app) }
        }
        let next = some.count < found.count ? found[some.count].campaign : Int64.max
        return (campaigns.filter { $0 < next }, nil)
    }

    /// What belongs to an Occurrence, itself the last.
    static var tablesOfOccurrences: [(table: SQL, column: SQL)] {
        [
            ("delivery_counts", "occurrence_id"), ("event_counts", "occurrence_id"),
            ("action_counts", "occurrence_id"), ("variant_counts", "occurrence_id"),
            ("variant_event_counts", "occurrence_id"), ("statistics_by_occurrence", "occurrence_id"),
            ("inbox_broadcasts", "occurrence_id"), ("occurrences", "id"),
        ]
    }

    func deleteOccurrences(
        _ occurrences: [Int64],
        from table: (table: SQL, column: SQL),
        _ app: AppID
    ) throws {
        var delete = ComposedSQL()
        delete.append("DELETE FROM ")
        delete.append(table.table)
        delete.append(" WHERE app_id = ")
        delete.bind(.app)
        delete.append(" AND ")
        delete.append(table.column)
        delete.append(" IN (")
        delete.bind(list: occurrences.padded(to: Self.occurrenceLimit).map { .integer($0) })
        delete.append(")")
        try runComposed(delete, app)
    }

    /// Drops all deliveries and events of some Occurrences if they are few.
    ///
    /// - Returns: False when they are not; nothing was dropped then.
    private func dropRows(of occurrences: [Int64], _ app: AppID, _ limit: Int) throws -> Bool {
        guard !occurrences.isEmpty else { return true }
        let tables: [SQL] = ["deliveries", "events"]
        for table in tables {
            var count = ComposedSQL()
            count.append("SELECT 1 FROM ")
            count.append(table)
            count.append(" WHERE app_id = ")
            count.bind(.app)
            count.append(" AND occurrence_id IN (")
            count.bind(list: occurrences.padded(to: Self.occurrenceLimit).map { .integer($0) })
            count.append(") LIMIT 1 OFFSET ")
            count.bind(.limit)
            let statement = try connection.prepare(count)
            count.bind(to: statement) { $0 == .app ? app.rawValue : Int64(limit) }
            let isLarge = try statement.next()
            statement.reset()
            guard !isLarge else { return false }
        }
        for table in tables { try deleteOccurrences(occurrences, from: (table, "occurrence_id"), app) }
        return true
    }

    /// Drops the deliveries and events of an Occurrence to the next Devices.
    ///
    /// - Returns: The last of these Devices; `nil` when no rows are left.
    private func dropSomeRows(of occurrence: Int64, _ app: AppID, after device: Int64, _ limit: Int) throws -> Int64? {
        let delivery = try connection.first(
            """
            SELECT device_number FROM deliveries WHERE app_id = $1 AND occurrence_id = $2 AND device_number > $3
            ORDER BY device_number LIMIT 1 OFFSET $4
            """,
            app,
            occurrence,
            device,
            limit,
            as: Int64.self
        )
        let event = try connection.first(
            """
            SELECT device_number FROM events WHERE app_id = $1 AND occurrence_id = $2 AND device_number > $3
            ORDER BY device_number LIMIT 1 OFFSET $4
            """,
            app,
            occurrence,
            device,
            limit,
            as: Int64.self
        )
        let last = [delivery, event].compactMap(\.self).min()
        try connection.run(
            """
            DELETE FROM deliveries
            WHERE app_id = $1 AND occurrence_id = $2 AND device_number > $3 AND device_number <= $4
            """,
            app,
            occurrence,
            device,
            last ?? .max
        )
        try connection.run(
            "DELETE FROM events WHERE app_id = $1 AND occurrence_id = $2 AND device_number > $3 AND device_number <= $4",
            app,
            occurrence,
            device,
            last ?? .max
        )
        return last
    }

    func runComposed(_ delete: ComposedSQL, _ app: AppID) throws {
        let statement = try connection.prepare(delete)
        delete.bind(to: statement) { _ in app.rawValue }
        try statement.run()
    }
}

extension Array where Element == Int64 {
    /// The same numbers with the last one repeated, so that statements of all lengths have one text.
    func padded(to count: Int) -> [Int64] {
        guard let last else { return [] }
        return self + Swift.repeatElement(last, count: Swift.max(0, count - self.count))
    }
}
