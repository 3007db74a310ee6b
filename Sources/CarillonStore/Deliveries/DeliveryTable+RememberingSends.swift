import CarillonEngine
import CarillonModel
import CarillonSQL

extension DeliveryTable {
    private static let insertSend: SQL = """
        INSERT INTO recent_sends (\(RecentSendColumn.list)) VALUES (\(RecentSendColumn.parameters))
        ON CONFLICT DO NOTHING
        """

    /// Remembers what was taken, and forgets what nobody asks for any more.
    func remember(_ commit: ChunkCommit) throws {
        guard let memory = commit.memory, !commit.sends.isEmpty else { return }
        let key = commit.lease.chunk
        guard connection.dialect == .sqlite else { return try remember(commit, memory) }
        let forget = try connection.prepare(
            "DELETE FROM recent_sends WHERE app_id = $1 AND device_number = $2 AND at < $3"
        )
        forget.bind(key.app.rawValue, at: 1)
        forget.bind(memory.keptSince.rawValue, at: 3)
        let insert = try connection.prepare(Self.insertSend)
        let row = SQLParameters<RecentSendColumn>(insert)
        row.bind(key.app, to: .appID)
        row.bind(key.occurrence, to: .occurrenceID)
        row.bind(commit.at, to: .at)
        row.bind(memory.isAd, to: .isAd)
        row.bind(memory.isCapped, to: .isCapped)
        for send in commit.sends {
            forget.bind(send.device.rawValue, at: 2)
            try forget.run()
            insert.bind(send.device.rawValue, at: RecentSendColumn.deviceNumber.parameter)
            insert.bind(send.pushType.code, at: RecentSendColumn.pushType.parameter)
            insert.bind(send.message, at: RecentSendColumn.message.parameter)
            try insert.run()
        }
    }

    /// As on SQLite, where a row costs no round trip, but in two statements.
    ///
    /// Rows are locked in the order of their Devices: other Campaigns forget rows of the same ones.
    private func remember(_ commit: ChunkCommit, _ memory: ChunkCommit.Memory) throws {
        let key = commit.lease.chunk
        let devices = SQLList(commit.sends.lazy.map(\.device.rawValue), connection.dialect)
        try connection.send(
            """
            DELETE FROM recent_sends r USING (
                SELECT n.value FROM unnest(CAST(CAST($2 AS TEXT) AS BIGINT[])) AS n (value) ORDER BY n.value LIMIT $4
            ) AS s
            WHERE r.app_id = $1 AND r.device_number = s.value AND r.at < $3
            """,
            key.app,
            devices,
            memory.keptSince,
            commit.sends.count
        )
        try connection.send(
            """
            INSERT INTO recent_sends (\(RecentSendColumn.list))
            SELECT CAST($1 AS BIGINT), u.device, CAST($2 AS BIGINT), u.push, CAST($3 AS BIGINT), CAST($4 AS BIGINT),
                CAST($5 AS BIGINT), u.message
            FROM unnest(CAST(CAST($6 AS TEXT) AS BIGINT[]), CAST(CAST($7 AS TEXT) AS BIGINT[]),
                CAST(CAST($8 AS TEXT) AS BIGINT[])) AS u (device, push, message)
            ON CONFLICT DO NOTHING
            """,
            key.app,
            key.occurrence,
            commit.at,
            memory.isAd,
            memory.isCapped,
            devices,
            SQLList(commit.sends.lazy.map(\.pushType.code), connection.dialect),
            SQLList(commit.sends.lazy.map(\.message), connection.dialect)
        )
    }
}
