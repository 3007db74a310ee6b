import CarillonEngine
import CarillonModel
import CarillonSQL

extension DeliveryTable {
    /// Reads notifications that wait to be tried again, after one place in their order, through another, with their
    /// Devices as they are now.
    ///
    /// - Parameters:
    ///   - facts: Of which Occurrence.
    ///   - after: The place before the first.
    ///   - through: The last place.
    ///   - limit: How many rows, or a few more that share a place.
    /// - Returns: The Devices, and the place of the last.
    /// - Throws: ``StoreError``.
    func readRetries(
        of facts: OccurrenceFacts,
        after: RetryPosition,
        through: RetryPosition,
        limit: Int
    ) throws -> (recipients: Recipients, last: RetryPosition) {
        let statement = try prepareRetries(of: facts, after: after, through: through, limit: limit)
        defer { statement.reset() }
        var recipients = Recipients()
        var last = after
        while try statement.next() {
            let position = RetryPosition(
                dueAt: Timestamp(rawValue: statement.int64(RetriedColumn.dueAt.rawValue)),
                device: DeviceNumber(rawValue: statement.int64(RetriedColumn.deviceNumber.rawValue))
            )
            if recipients.count >= limit, position != last { break }
            last = position
            recipients.append(
                number: position.device,
                pushType: try .read(statement, at: RetriedColumn.pushType.rawValue),
                consent: .read(statement, at: RetriedColumn.consent.rawValue),
                language: statement.bytes(RetriedColumn.language.rawValue),
                zone: statement.bytes(RetriedColumn.timeZone.rawValue),
                token: statement.bytes(RetriedColumn.token.rawValue),
                attempts: UInt8(clamping: statement.int64(RetriedColumn.attempts.rawValue)),
                isUnconfirmed: !statement.isNull(RetriedColumn.unconfirmed.rawValue)
            )
        }
        return (recipients, last)
    }

    private static let retries: SQL = """
        SELECT \(RetriedColumn.list(of: "r")) FROM retries r
        LEFT JOIN call_tokens t ON t.app_id = $2 AND t.device_number = r.device_number
            AND t.push_type = r.push_type AND t.state = $1
        LEFT JOIN devices d ON d.app_id = $2 AND d.number = r.device_number
        WHERE r.app_id = $2 AND r.occurrence_id = $3 AND (r.due_at, r.device_number) > ($4, $5)
            AND (r.due_at, r.device_number) <= ($6, $7)
        ORDER BY r.due_at, r.device_number LIMIT $8
        """

    private func prepareRetries(
        of facts: OccurrenceFacts,
        after: RetryPosition,
        through: RetryPosition,
        limit: Int
    ) throws -> any SQLStatement {
        let statement = try connection.prepare(Self.retries)
        statement.bind(DeviceRecord.TokenState.active.code, at: 1)
        statement.bind(facts.app.rawValue, at: 2)
        statement.bind(facts.occurrence.rawValue, at: 3)
        statement.bind(after.dueAt.rawValue, at: 4)
        statement.bind(after.device.rawValue, at: 5)
        statement.bind(through.dueAt.rawValue, at: 6)
        statement.bind(through.device.rawValue, at: 7)
        // Rows share a place when a Device has several push types: it is read whole.
        statement.bind(Int64(limit + PushType.allCases.count), at: 8)
        return statement
    }
}

/// The columns of a retry, `r`, its Device, `d`, and the Device's token for calls, `t`.
private enum RetriedColumn: Int, SQLColumn {
    case deviceNumber, pushType, attempts, dueAt, token, consent, language, timeZone, unconfirmed

    var sql: String {
        switch self {
        case .token:
            "COALESCE(CASE WHEN d.push_type = r.push_type AND d.token_state = $1 THEN d.token END, t.token)"
        case .consent: "d.consent"
        case .language: "d.language"
        case .timeZone: "d.time_zone"
        case .unconfirmed: "CASE WHEN d.push_type = r.push_type THEN d.token_unconfirmed ELSE t.unconfirmed END"
        default: name
        }
    }
}
