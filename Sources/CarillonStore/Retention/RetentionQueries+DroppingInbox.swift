import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Old rows of inboxes, which lie in the order of Devices or Users.
extension RetentionQueries {
    func dropInboxRows(
        _ app: AppID,
        _ end: Int64,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        try dropOfDevices(
            app,
            end,
            cursor,
            limit,
            last: """
                SELECT device_number, occurrence_id FROM inbox_rows
                WHERE app_id = $1 AND (device_number, occurrence_id) > ($2, $3)
                ORDER BY device_number, occurrence_id LIMIT 1 OFFSET $4
                """,
            delete: """
                DELETE FROM inbox_rows
                WHERE app_id = $1 AND (device_number, occurrence_id) > ($2, $3)
                    AND (device_number, occurrence_id) <= ($4, $5) AND occurrence_id < $6
                    AND NOT EXISTS (SELECT 1 FROM waves w
                        WHERE w.app_id = $1 AND w.occurrence_id = inbox_rows.occurrence_id)
                """
        )
    }

    func dropDeviceReads(
        _ app: AppID,
        _ end: Int64,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        try dropOfDevices(
            app,
            end,
            cursor,
            limit,
            last: """
                SELECT device_number, occurrence_id FROM device_reads
                WHERE app_id = $1 AND (device_number, occurrence_id) > ($2, $3)
                ORDER BY device_number, occurrence_id LIMIT 1 OFFSET $4
                """,
            delete: """
                DELETE FROM device_reads
                WHERE app_id = $1 AND (device_number, occurrence_id) > ($2, $3)
                    AND (device_number, occurrence_id) <= ($4, $5) AND occurrence_id < $6
                    AND NOT EXISTS (SELECT 1 FROM waves w
                        WHERE w.app_id = $1 AND w.occurrence_id = device_reads.occurrence_id)
                """
        )
    }

    func dropUserReads(
        _ app: AppID,
        _ end: Int64,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        try preferIndexes()
        let last = try connection.first(
            """
            SELECT user_id, occurrence_id FROM user_reads
            WHERE app_id = $1 AND (user_id, occurrence_id) > ($2, $3)
            ORDER BY user_id, occurrence_id LIMIT 1 OFFSET $4
            """,
            app,
            cursor.text,
            cursor.occurrence,
            limit,
            as: (String, Int64).self
        ).map { RetentionCursor(number: -1, text: $0, occurrence: $1) }
        guard let last else {
            try connection.run(
                """
                DELETE FROM user_reads
                WHERE app_id = $1 AND (user_id, occurrence_id) > ($2, $3) AND occurrence_id < $4
                    AND NOT EXISTS (SELECT 1 FROM waves w
                        WHERE w.app_id = $1 AND w.occurrence_id = user_reads.occurrence_id)
                """,
                app,
                cursor.text,
                cursor.occurrence,
                end
            )
            return nil
        }
        try connection.run(
            """
            DELETE FROM user_reads
            WHERE app_id = $1 AND (user_id, occurrence_id) > ($2, $3) AND (user_id, occurrence_id) <= ($4, $5)
                AND occurrence_id < $6
                AND NOT EXISTS (SELECT 1 FROM waves w WHERE w.app_id = $1 AND w.occurrence_id = user_reads.occurrence_id)
            """,
            app,
            cursor.text,
            cursor.occurrence,
            last.text,
            last.occurrence,
            end
        )
        return last
    }

    /// Drops what is in inboxes of a message between Users, which goes to the Devices of one User.
    ///
    /// By all numbers that the User has and had: deliveries may be gone already, and what is left without them would count
    /// as unread.
    ///
    /// - Returns: At how many places rows may have been.
    @discardableResult
    func dropInboxRows(of message: Campaign) throws -> Int {
        guard case .users(let users) = message.audience else { return 0 }
        var places = 0
        let occurrences = try connection.all(
            "SELECT id FROM occurrences WHERE app_id = $1 AND campaign_id = $2 ORDER BY id LIMIT 1000",
            message.app,
            message.id,
            as: Int64.self
        )
        for user in users {
            let numbers = try connection.all(InboxSQL.allOfUser, message.app, user, as: Int64.self)
            for occurrence in occurrences { try dropInboxRows(numbers, user, occurrence, message.app) }
            places += numbers.count * occurrences.count
        }
        return places
    }

    // MARK: - Private

    private func dropInboxRows(
        _ numbers: [Int64],
        _ user: UserID,
        _ occurrence: Int64,
        _ app: AppID
    ) throws {
        for number in numbers {
            try connection.send(
                "DELETE FROM inbox_rows WHERE app_id = $1 AND device_number = $2 AND occurrence_id = $3",
                app,
                number,
                occurrence
            )
            try connection.send(
                "DELETE FROM device_reads WHERE app_id = $1 AND device_number = $2 AND occurrence_id = $3",
                app,
                number,
                occurrence
            )
        }
        try connection.send(
            "DELETE FROM user_reads WHERE app_id = $1 AND user_id = $2 AND occurrence_id = $3",
            app,
            user,
            occurrence
        )
    }

    private func dropOfDevices(
        _ app: AppID,
        _ end: Int64,
        _ cursor: RetentionCursor,
        _ limit: Int,
        last: SQL,
        delete: SQL
    ) throws -> RetentionCursor? {
        try preferIndexes()
        let last = try connection.first(last, app, cursor.number, cursor.occurrence, limit, as: (Int64, Int64).self)
            .map { RetentionCursor(number: $0, text: "", occurrence: $1) }
        try connection.run(
            delete,
            app,
            cursor.number,
            cursor.occurrence,
            last?.number ?? .max,
            last?.occurrence ?? .max,
            end
        )
        return last
    }
}
