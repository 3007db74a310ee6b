package import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension DeliveryRepository {
    package func save(_ verdicts: TokenVerdicts) async throws(StoreError) -> Int {
        // In the Devices' order: other Chunks may have the same ones, whose answers came in another.
        var sorted = verdicts
        sorted.verdicts.sort { ($0.device, $0.pushType.code) < ($1.device, $1.pushType.code) }
        return try await database.write(priority: .bulk) { [sorted] connection in
            if sorted.confirmsKey { try connection.deliveries.confirmPushKey(of: sorted.app, at: sorted.at) }
            if connection.dialect == .postgreSQL {
                return try PostgreSQLVerdicts(connection: connection, verdicts: sorted).write()
            }
            var changed = 0
            for verdict in sorted.verdicts where try connection.deliveries.carryOut(verdict, of: sorted) {
                changed += 1
            }
            return changed
        }
    }
}

extension DeliveryTable {
    fileprivate func carryOut(
        _ verdict: ChunkCommit.TokenVerdict,
        of verdicts: TokenVerdicts
    ) throws -> Bool {
        switch verdict.finding {
        case .dead: try connection.deviceTokens.dropToken(verdict, of: verdicts)
        case .quarantined: try connection.deviceTokens.quarantineToken(verdict, of: verdicts)
        case .confirmed: try confirmToken(verdict, app: verdicts.app)
        }
    }

    /// Notes that the push service takes what an App's key sends.
    fileprivate func confirmPushKey(of app: AppID, at: Timestamp) throws {
        try connection.run("UPDATE push_keys SET confirmed_at = $1 WHERE app_id = $2 AND confirmed_at IS NULL", at, app)
    }

    /// Notes that a notification was taken for a token, if it is still the one that was sent to.
    private func confirmToken(_ verdict: ChunkCommit.TokenVerdict, app: AppID) throws -> Bool {
        let count = try connection.run(
            verdict.pushType.isVoIP
                ? """
                UPDATE call_tokens SET unconfirmed = NULL
                WHERE app_id = $1 AND device_number = $2 AND push_type = $3 AND token = $4 AND unconfirmed = 1
                """
                : """
                UPDATE devices SET token_unconfirmed = NULL
                WHERE app_id = $1 AND number = $2 AND push_type = $3 AND token = $4 AND token_unconfirmed = 1
                """,
            app,
            verdict.device,
            verdict.pushType,
            verdict.token
        )
        return count > 0
    }
}

/// What a set of verdicts writes into PostgreSQL: two statements for each kind of token and of verdict, however many
/// there are.
///
/// The limit is the list's own length: a list with a limit counts as short when the statement is planned, so that each
/// of its rows leads to its Device by the key, and no App's Devices are gone through for them.
private struct PostgreSQLVerdicts {
    private enum ChangedColumn: Int { case count }

    let connection: any SQLConnection
    let verdicts: TokenVerdicts

    /// - Returns: How many tokens changed.
    func write() throws -> Int {
        var changed = 0
        for finding in ChunkCommit.Finding.allCases {
            for isVoIP in [false, true] {
                let some = verdicts.verdicts.filter { $0.finding == finding && $0.pushType.isVoIP == isVoIP }
                guard !some.isEmpty else { continue }
                let statement = try statement(Self.sql(finding, isVoIP: isVoIP), some)
                if finding != .confirmed { bindRefusals(some, to: statement) }
                while try statement.next() { changed += statement.int(ChangedColumn.count.rawValue) }
            }
        }
        return changed
    }

    /// Binds what names the tokens.
    private func statement(
        _ sql: SQL,
        _ verdicts: [ChunkCommit.TokenVerdict]
    ) throws -> PostgreSQLStatement {
        guard let statement = try connection.prepare(sql) as? PostgreSQLStatement else {
            throw StoreError.failed("Arrays are bound on PostgreSQL alone.")
        }
        statement.bind(self.verdicts.app.rawValue, at: 1)
        statement.bind(verdicts.lazy.map(\.device.rawValue), at: 2)
        statement.bind(verdicts.lazy.map(\.pushType.code), at: 3)
        statement.bind(verdicts.map(\.token), at: 4)
        statement.bind(Int64(verdicts.count), at: 5)
        return statement
    }

    /// Binds what is listed of tokens that are out of use.
    private func bindRefusals(_ verdicts: [ChunkCommit.TokenVerdict], to statement: PostgreSQLStatement) {
        statement.bind(verdicts.lazy.map { $0.since?.rawValue ?? .max }, at: 9)
        statement.bind(verdicts.map { Array($0.reason.rawValue.utf8) }, at: 6)
        statement.bind(self.verdicts.at.rawValue, at: 7)
        statement.bind(self.verdicts.campaign.rawValue, at: 8)
    }

    private static func sql(_ finding: ChunkCommit.Finding, isVoIP: Bool) -> SQL {
        switch (finding, isVoIP) {
        case (.dead, false): dropped
        case (.dead, true): droppedCalls
        case (.quarantined, false): quarantined
        case (.quarantined, true): quarantinedCalls
        case (.confirmed, false): confirmed
        case (.confirmed, true): confirmedCalls
        }
    }

    private static let confirmed: SQL = """
        WITH said AS (
            SELECT u.device, u.push, u.token
            FROM unnest(CAST($2 AS BIGINT[]), CAST($3 AS SMALLINT[]), CAST($4 AS BYTEA[])) AS u (device, push, token)
            LIMIT $5
        ), changed AS (
            UPDATE devices AS d SET token_unconfirmed = NULL FROM said AS s
            WHERE d.app_id = $1 AND d.number = s.device AND d.push_type = s.push AND d.token = s.token
                AND d.token_unconfirmed = 1
            RETURNING 1
        )
        SELECT count(*) FROM changed
        """

    private static let confirmedCalls: SQL = """
        WITH said AS (
            SELECT u.device, u.push, u.token
            FROM unnest(CAST($2 AS BIGINT[]), CAST($3 AS SMALLINT[]), CAST($4 AS BYTEA[])) AS u (device, push, token)
            LIMIT $5
        ), changed AS (
            UPDATE call_tokens AS t SET unconfirmed = NULL FROM said AS s
            WHERE t.app_id = $1 AND t.device_number = s.device AND t.push_type = s.push AND t.token = s.token
                AND t.unconfirmed = 1
            RETURNING 1
        )
        SELECT count(*) FROM changed
        """

    private static let dropped: SQL = """
        WITH said AS (
            SELECT u.device, u.push, u.token, u.since, u.reason
            FROM unnest(CAST($2 AS BIGINT[]), CAST($3 AS SMALLINT[]), CAST($4 AS BYTEA[]), CAST($9 AS BIGINT[]),
                CAST($6 AS TEXT[])) AS u (device, push, token, since, reason)
            LIMIT $5
        ), changed AS (
            UPDATE devices AS d SET token_state = 3 FROM said AS s
            WHERE d.app_id = $1 AND d.number = s.device AND d.push_type = s.push AND d.token = s.token
                AND d.token_state <> 3 AND (d.token_at IS NULL OR d.token_at < s.since)
            RETURNING s.device, s.push, s.token, s.since, s.reason, d.public_id, d.tenant, d.user_id
        ), listed AS (
            INSERT INTO invalid_tokens (\(RefusedTokenColumn.list))
            SELECT $1, $7, c.device, c.push, $8, NULLIF(c.since, 9223372036854775807), c.token, c.public_id, c.tenant,
                c.user_id, c.reason FROM changed AS c
            ON CONFLICT (app_id, at, device_number, push_type) DO NOTHING
        )
        SELECT count(*) FROM changed
        """

    private static let droppedCalls: SQL = """
        WITH said AS (
            SELECT u.device, u.push, u.token, u.since, u.reason
            FROM unnest(CAST($2 AS BIGINT[]), CAST($3 AS SMALLINT[]), CAST($4 AS BYTEA[]), CAST($9 AS BIGINT[]),
                CAST($6 AS TEXT[])) AS u (device, push, token, since, reason)
            LIMIT $5
        ), changed AS (
            UPDATE call_tokens AS t SET state = 3 FROM said AS s
            WHERE t.app_id = $1 AND t.device_number = s.device AND t.push_type = s.push AND t.token = s.token
                AND t.state <> 3 AND t.registered_at < s.since
            RETURNING s.device, s.push, s.token, s.since, s.reason
        ), listed AS (
            INSERT INTO invalid_tokens (\(RefusedTokenColumn.list))
            SELECT $1, $7, c.device, c.push, $8, NULLIF(c.since, 9223372036854775807), c.token, d.public_id, d.tenant,
                d.user_id, c.reason FROM changed AS c JOIN devices AS d ON d.app_id = $1 AND d.number = c.device
            ON CONFLICT (app_id, at, device_number, push_type) DO NOTHING
        )
        SELECT count(*) FROM changed
        """

    private static let quarantined: SQL = """
        WITH said AS (
            SELECT u.device, u.push, u.token, u.since, u.reason
            FROM unnest(CAST($2 AS BIGINT[]), CAST($3 AS SMALLINT[]), CAST($4 AS BYTEA[]), CAST($9 AS BIGINT[]),
                CAST($6 AS TEXT[])) AS u (device, push, token, since, reason)
            LIMIT $5
        ), changed AS (
            UPDATE devices AS d SET token_state = 2 FROM said AS s
            WHERE d.app_id = $1 AND d.number = s.device AND d.push_type = s.push AND d.token = s.token
                AND d.token_state = 1 AND d.registered_at <= $7
            RETURNING s.device, s.push, s.token, s.since, s.reason, d.public_id, d.tenant, d.user_id
        ), listed AS (
            INSERT INTO invalid_tokens (\(RefusedTokenColumn.list))
            SELECT $1, $7, c.device, c.push, $8, NULLIF(c.since, 9223372036854775807), c.token, c.public_id, c.tenant,
                c.user_id, c.reason FROM changed AS c
            ON CONFLICT (app_id, at, device_number, push_type) DO NOTHING
        )
        SELECT count(*) FROM changed
        """

    private static let quarantinedCalls: SQL = """
        WITH said AS (
            SELECT u.device, u.push, u.token, u.since, u.reason
            FROM unnest(CAST($2 AS BIGINT[]), CAST($3 AS SMALLINT[]), CAST($4 AS BYTEA[]), CAST($9 AS BIGINT[]),
                CAST($6 AS TEXT[])) AS u (device, push, token, since, reason)
            LIMIT $5
        ), changed AS (
            UPDATE call_tokens AS t SET state = 2 FROM said AS s
            WHERE t.app_id = $1 AND t.device_number = s.device AND t.push_type = s.push AND t.token = s.token
                AND t.state = 1 AND t.registered_at <= $7
            RETURNING s.device, s.push, s.token, s.since, s.reason
        ), listed AS (
            INSERT INTO invalid_tokens (\(RefusedTokenColumn.list))
            SELECT $1, $7, c.device, c.push, $8, NULLIF(c.since, 9223372036854775807), c.token, d.public_id, d.tenant,
                d.user_id, c.reason FROM changed AS c JOIN devices AS d ON d.app_id = $1 AND d.number = c.device
            ON CONFLICT (app_id, at, device_number, push_type) DO NOTHING
        )
        SELECT count(*) FROM changed
        """
}
