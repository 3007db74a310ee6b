import CarillonEngine
import CarillonModel
import CarillonSQL

extension RetentionQueries {
    /// Drops which numbers deleted Devices had, by which an erasure of their User finds what is kept under them.
    func dropDeletedDevices(
        _ app: AppID,
        _ time: Timestamp,
        _ cursor: RetentionCursor,
        _ limit: Int
    ) throws -> RetentionCursor? {
        try preferIndexes()
        let seen = try connection.first(
            """
            SELECT count(*), COALESCE(MAX(number), 0) FROM (
                SELECT number FROM deleted_devices WHERE app_id = $1 AND number > $2 ORDER BY number LIMIT $3
            ) AS listed
            """,
            app,
            cursor.number,
            limit,
            as: (Int, Int64).self
        )
        guard let (count, last) = seen, count > 0 else { return nil }
        try connection.run(
            "DELETE FROM deleted_devices WHERE app_id = $1 AND number > $2 AND number <= $3 AND deleted_at < $4",
            app,
            cursor.number,
            last,
            time
        )
        return count == limit ? RetentionCursor(number: last, text: "", occurrence: -1) : nil
    }
}
