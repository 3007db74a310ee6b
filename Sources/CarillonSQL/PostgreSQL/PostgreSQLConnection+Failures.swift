import StoreErrors

extension PostgreSQLConnection {
    /// Whether the connection caused the last failure.
    var wasLost: Bool { lastFailure == .lost }

    /// Whether another transaction's lock caused the last failure.
    var wasBlocked: Bool { failure?.isBlocked ?? false }

    func attempt<Value>(
        _ body: () throws(PostgreSQLFailure) -> Value
    ) throws(StoreError) -> Value {
        do throws(PostgreSQLFailure) { return try body() } catch { throw record(error) }
    }

    func record(_ failure: PostgreSQLFailure) -> StoreError {
        self.failure = failure
        lastFailure = failure.kind
        return failure.error
    }
}
