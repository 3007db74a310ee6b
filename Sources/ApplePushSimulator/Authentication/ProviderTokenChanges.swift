/// Recent changes of the provider token, on one connection or from one address.
struct ProviderTokenChanges: Sendable {
    /// Times of changes, latest last; changes older than the window are removed.
    private var times: [SimulatedTime] = []
    /// Set when the token changed too often: until then every request is answered with 429.
    private var blockedUntil: SimulatedTime?

    /// Whether requests are refused because of changes; resets itself when the block is over.
    mutating func isBlocked(at now: SimulatedTime) -> Bool {
        guard let end = blockedUntil else { return false }
        guard now >= end else { return true }
        self = ProviderTokenChanges()
        return false
    }

    /// Records a change by the time of arrival, not by `iat`.
    ///
    /// - Returns: Whether it exceeds the allowance.
    mutating func record(at now: SimulatedTime, allowance: Int, window: Duration) -> Bool {
        times.removeAll { $0.advanced(by: window) <= now }
        times.append(now)
        guard times.count > allowance else { return false }
        blockedUntil = now.advanced(by: window)
        return true
    }
}

/// Changes by the client's address.
struct ProviderTokenSources: Sendable {
    private struct Source {
        var changes = ProviderTokenChanges()
        /// Tokens with the times of their last use.
        var tokens: [Int: SimulatedTime] = [:]
    }

    /// Above this number all addresses are removed, to bound memory.
    private static let limit = 10_000
    private var sources: [String: Source] = [:]

    mutating func isBlocked(_ source: String, at now: SimulatedTime) -> Bool {
        sources[source]?.changes.isBlocked(at: now) ?? false
    }

    /// Records the provider token of a connection from an address: one that was not seen from there recently is a
    /// change.
    ///
    /// - Returns: Whether it exceeds the allowance.
    mutating func record(
        _ serial: Int,
        from source: String,
        at now: SimulatedTime,
        allowance: Int,
        window: Duration
    ) -> Bool {
        if sources.count >= Self.limit {
            sources.removeAll()
        }
        var known = sources[source] ?? Source()
        defer { sources[source] = known }
        let isNew = known.tokens[serial] == nil
        known.tokens[serial] = now
        known.tokens = known.tokens.filter { $0.value.advanced(by: window) > now || $0.key == serial }
        guard isNew, known.tokens.count > 1 else { return false }
        return known.changes.record(at: now, allowance: allowance, window: window)
    }
}
