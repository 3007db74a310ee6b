package import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import NIOConcurrencyHelpers

extension DeliveryRepository {
    package func commit(_ commit: ChunkCommit) async throws(StoreError) -> LeaseAnswer {
        precondition(commit.verdicts.isEmpty, "What was said of tokens is kept after the outcomes.")
        let hasRepeats = NIOLockedValueBox(false)
        do throws(StoreError) {
            return try await write(commit, hasRepeats)
        } catch {
            // Seldom: something was sent again after a dispatcher died.
            guard hasRepeats.withLockedValue({ $0 }) else { throw error }
            return try await write(commit, hasRepeats)
        }
    }

    /// Writes a commit in a transaction.
    ///
    /// - Parameters:
    ///   - commit: What is written.
    ///   - hasRepeats: Whether some of its rows were there before. It is set when that is found out; the transaction is
    ///     given up then, and the next attempt asks which ones are new.
    /// - Returns: Where the Campaign stands, or that the lease passed on.
    /// - Throws: ``StoreError``; nothing was kept then.
    private func write(
        _ commit: ChunkCommit,
        _ hasRepeats: NIOLockedValueBox<Bool>
    ) async throws(StoreError) -> LeaseAnswer {
        try await database.write(priority: .bulk) { connection in
            guard try connection.chunks.holds(commit.lease) else { return .refused }
            let writer = OutcomeWriter(connection: connection, commit: commit, hasRepeats: hasRepeats)
            try writer.writeRows()
            try writer.writeRetries()
            try connection.deliveries.remember(commit)
            // Before its Waves, as everywhere: whoever has the Campaign may open the same.
            if !commit.waves.isEmpty { try connection.lock(.campaign(commit.lease.campaign)) }
            for time in commit.waves {
                let chunk = commit.lease.chunk
                try connection.occurrences.openWave(
                    time,
                    of: chunk.occurrence,
                    campaign: commit.lease.campaign,
                    app: chunk.app
                )
            }
            try writer.end()
            let key = commit.lease.chunk
            if commit.ending == .goesOn, commit.retries.isEmpty {
                return try held(try connection.chunks.state(of: commit.lease), key.app, connection)
            }
            let state = try connection.occurrences.refreshWork(of: key.occurrence, app: key.app, at: commit.at)
            guard let state else { throw StoreError.failed("A chunk's campaign is gone.") }
            return try held(state, key.app, connection)
        }
    }

    /// What the holder learns: a Campaign of an App whose sending is paused counts as paused, so that it sends no more.
    private func held(
        _ state: Campaign.State,
        _ app: AppID,
        _ connection: any SQLConnection
    ) throws -> LeaseAnswer {
        .held(try state == .sending && connection.apps.isSendingPaused(app) ? .paused : state)
    }
}

/// Writes one commit's rows.
struct OutcomeWriter {
    let connection: any SQLConnection
    let commit: ChunkCommit
    let hasRepeats: NIOLockedValueBox<Bool>

    var key: ChunkKey { commit.lease.chunk }

    /// Where a row would take a round trip, all of them go at once.
    var bulk: PostgreSQLOutcomes? {
        connection.dialect == .postgreSQL ? PostgreSQLOutcomes(connection: connection, commit: commit) : nil
    }

    private var isRetries: Bool {
        if case .retries = commit.lease.range { true } else { false }
    }

    /// Writes the deliveries and counts those that are new; a Device that has a row keeps it.
    func writeRows() throws {
        guard !commit.rows.isEmpty else { return }
        var codes: [Int64] = []
        for reason in commit.reasons { codes.append(try connection.deliveries.code(of: reason)) }
        var notes = try WebhookNotes(of: key.app, connection)
        var tally = OutcomeCounts()
        var variants = VariantAccumulator(commit.split)
        let new = if let bulk { try insertRows(bulk, codes) } else { try insertRows(codes) }
        for row in new {
            tally.add(row.outcome, reason: row.outcome == .accepted ? 0 : codes[Int(row.reason)])
            variants?.add(row.outcome, of: row.device)
            notes.add(row)
        }
        try tally.write(to: connection, app: key.app, occurrence: key.occurrence, at: commit.at)
        try variants?.write(to: connection, app: key.app, occurrence: key.occurrence)
        try changeBadges(of: new)
        try notes.write(to: connection, of: key, at: commit.at)
    }

    /// Changes the counts of the icons that the new deliveries change.
    private func changeBadges(of rows: [ChunkCommit.Row]) throws {
        guard let badge = commit.badge else { return }
        let devices = Set(rows.lazy.filter { $0.outcome == .accepted && !$0.pushType.isVoIP }.map(\.device))
        try connection.badges.change(devices.sorted(), by: badge, of: key.app)
    }

    /// Inserts all rows at once.
    ///
    /// - Returns: Those that are new.
    private func insertRows(_ bulk: PostgreSQLOutcomes, _ codes: [Int64]) throws -> [ChunkCommit.Row] {
        let hasInboxRows = try hasInboxRows()
        var new = commit.rows
        if hasRepeats.withLockedValue({ $0 }) {
            new = try bulk.writeNewRows(codes: codes)
        } else if try !bulk.writeRows(codes: codes) {
            hasRepeats.withLockedValue { $0 = true }
            throw StoreError.failed("Some of a commit's deliveries were there before.")
        }
        if hasInboxRows { try bulk.writeInbox(new) }
        return new
    }

    private static let insert: SQL = """
        INSERT INTO deliveries (\(DeliveryColumn.list)) VALUES (\(DeliveryColumn.parameters)) ON CONFLICT DO NOTHING
        """

    /// Inserts row by row.
    ///
    /// - Returns: Those that are new.
    private func insertRows(_ codes: [Int64]) throws -> [ChunkCommit.Row] {
        let insert = try connection.prepare(Self.insert)
        insert.bind(key.app.rawValue, at: DeliveryColumn.appID.parameter)
        insert.bind(key.occurrence.rawValue, at: DeliveryColumn.occurrenceID.parameter)
        insert.bind(commit.at.rawValue, at: DeliveryColumn.at.parameter)
        let inbox = try inboxStatement()
        var new: [ChunkCommit.Row] = []
        new.reserveCapacity(commit.rows.count)
        for row in commit.rows {
            let isAccepted = row.outcome == .accepted
            insert.bind(row.device.rawValue, at: DeliveryColumn.deviceNumber.parameter)
            insert.bind(row.pushType.code, at: DeliveryColumn.pushType.parameter)
            insert.bind(row.outcome.code, at: DeliveryColumn.outcome.parameter)
            insert.bind(isAccepted ? 0 : codes[Int(row.reason)], at: DeliveryColumn.reason.parameter)
            try insert.run()
            guard connection.changedRowCount == 1 else { continue }
            new.append(row)
            guard isAccepted, let inbox else { continue }
            inbox.bind(row.device.rawValue, at: 2)
            try inbox.run()
        }
        return new
    }

    /// Whether an accepted notification is a row of the Device's inbox.
    private func hasInboxRows() throws -> Bool {
        let placement = try connection.first(
            "SELECT inbox FROM campaigns WHERE app_id = $1 AND id = $2",
            key.app,
            commit.lease.campaign,
            as: Int64.self
        )
        return placement == InboxPlacement.row.rawValue
    }

    /// What writes a Device's row of its inbox; `nil` when the Campaign writes none.
    private func inboxStatement() throws -> (any SQLStatement)? {
        guard try hasInboxRows() else { return nil }
        let insert = try connection.prepare(InboxSQL.row)
        insert.bind(key.app.rawValue, at: 1)
        insert.bind(key.occurrence.rawValue, at: 3)
        return insert
    }

    /// Ends the Chunk or gives it back.
    func end() throws {
        guard commit.ending != .goesOn else { return }
        // Whoever resumes or cancels the Campaign now would not see a Chunk that is just being given back.
        try connection.lock(.campaign(commit.lease.campaign))
        switch commit.ending {
        case .goesOn: return
        case .isOver:
            try deleteChunk()
            if commit.clearsFailures { try connection.chunks.clearFailures(of: key.occurrence, app: key.app) }
        case .isGivenBack: try giveBack(hasHalted: commit.lease.hasHalted)
        case .pauses(let alarm):
            try connection.campaigns.pause(commit.lease.campaign, app: key.app, alarm: alarm.rawValue, at: commit.at)
            try giveBack(hasHalted: true)
        }
    }

    // MARK: - Private

    /// Retries that are given back are on their list anyway; and nobody goes on with a Campaign that is being
    /// cancelled.
    private func giveBack(hasHalted: Bool) throws {
        let state = try connection.chunks.state(of: commit.lease)
        guard !isRetries, state != .cancelling else { return try deleteChunk() }
        try connection.run(
            """
            UPDATE chunks SET owner = NULL, free_at = $1, has_halted = $2
            WHERE app_id = $3 AND occurrence_id = $4 AND chunk = $5
            """,
            state == .paused ? .never : Timestamp(rawValue: 0),
            hasHalted ? Int64(1) : nil,
            key.app,
            key.occurrence,
            key.number
        )
    }

    private func deleteChunk() throws { try connection.deliveries.deleteChunk(key) }
}

extension DeliveryTable {
    /// Deletes a Chunk, of which nothing is left to be sent.
    func deleteChunk(_ key: ChunkKey) throws {
        try connection.run(
            "DELETE FROM chunks WHERE app_id = $1 AND occurrence_id = $2 AND chunk = $3",
            key.app,
            key.occurrence,
            key.number
        )
    }
}
