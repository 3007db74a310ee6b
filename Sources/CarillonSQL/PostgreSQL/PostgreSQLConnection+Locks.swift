package import StoreErrors

/// Advisory locks until the end of the transaction.
extension PostgreSQLConnection {
    package func lock(_ lock: WriteLock) throws(StoreError) {
        let statement = try statement("SELECT 1 FROM pg_advisory_xact_lock($1)")
        statement.bind(lock.number, at: 1)
        try send(statement)
    }

    package func lock(_ locks: Set<WriteLock>) throws(StoreError) {
        guard let one = locks.first else { return }
        guard locks.count > 1 else { return try lock(one) }
        // An array's elements are processed in order, and so the locks are taken.
        let statement = try statement(
            "SELECT count(pg_advisory_xact_lock(number)) FROM unnest(CAST($1 AS BIGINT[])) AS number"
        )
        statement.bind("{" + locks.sorted().map { String($0.number) }.joined(separator: ",") + "}", at: 1)
        try send(statement)
    }
}
