/// How often a provider token changed lately, on one connection or from one address.
struct ProviderTokenChanges: Sendable {
    /// When the provider token changed, latest last; changes older than the window are dropped.
    private var times: [SimulatedTime] = []
    /// Set when the token changed too often: until then every request is answered 429.
    private var blockedUntil: SimulatedTime?

    /// Whether changes are still held against the client; forgets them when their time is over.
    mutating func isBlocked(at now: SimulatedTime) -> Bool {
        guard let end = blockedUntil else { return false }
        guard now >= end else { return true }
        self = ProviderTokenChanges()
        return false
    }

    /// Counts a change by the time of arrival, not by `iat`.
    ///
    /// - Returns: Whether it was one too many.
    mutating func note(at now: SimulatedTime, allowance: Int, window: Duration) -> Bool {
        times.removeAll { $0.advanced(by: window) <= now }
        times.append(now)
        guard times.count > allowance else { return false }
        blockedUntil = now.advanced(by: window)
        return true
    }
}

/// The changes counted by the client's address.
struct ProviderTokenSources: Sendable {
    private struct Source {
        var changes = ProviderTokenChanges()
        /// Tokens seen, with when they were last.
        var tokens: [Int: SimulatedTime] = [:]
    }

    /// More addresses than this are forgotten all together, so that they cost no memory.
    private static let limit = 10_000
    private var sources: [String: Source] = [:]

    mutating func isBlocked(_ source: String, at now: SimulatedTime) -> Bool {
        sources[source]?.changes.isBlocked(at: now) ?? false
    }

    /// Notes the provider token of a connection from an address: one that was not seen from there lately is a change.
    ///
    /// - Returns: Whether it was one too many.
    mutating func note(
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
        return known.changes.note(at: now, allowance: allowance, window: window)
    }
}
