import Foundation

extension Judge {
    /// Finds out who sends, and whether they may.
    func authenticate(
        _ request: borrowing IncomingRequest,
        connection: inout ConnectionState,
        keys: inout SigningKeys,
        now: WallTime
    ) throws(Rejection) -> ProviderToken {
        let (token, isNew) = try verify(request, connection: &connection, keys: &keys)
        let issued = WallTime(seconds: token.issuedAt)
        guard now <= issued.advanced(by: rules.providerTokenLifetime) else {
            throw Rejection(.expiredProviderToken)
        }
        guard issued <= now.advanced(by: rules.clockTolerance) else { throw Rejection(.invalidProviderToken) }
        if let end = connection.blockedUntil {
            guard now >= end else { throw Rejection(.tooManyProviderTokenUpdates) }
            connection.blockedUntil = nil
            connection.changes.removeAll()
        }
        guard isNew else { return token }
        try bind(token, to: &connection)
        try noteChange(in: &connection, token: token, now: now)
        connection.providerToken = token
        connection.authorization = request[.authorization].map(Array.init) ?? []
        connection.keysGeneration = keys.generation
        return token
    }

    /// Reads and verifies the provider token, or knows it again: then the key's standing is as it was.
    private func verify(
        _ request: borrowing IncomingRequest,
        connection: inout ConnectionState,
        keys: inout SigningKeys
    ) throws(Rejection) -> (token: ProviderToken, isNew: Bool) {
        guard let authorization = request[.authorization] else { throw Rejection(.missingProviderToken) }
        if connection.keysGeneration == keys.generation, let token = connection.providerToken,
            isSame(authorization, connection.authorization)
        {
            return (token, false)
        }
        guard let jwt = bearer(authorization) else { throw Rejection(.missingProviderToken) }
        let token = try keys.verify(jwt, mode: rules.providerTokens)
        if let environment = token.key.environment, environment != rules.environment {
            throw Rejection(.badEnvironmentKeyInToken)
        }
        return (token, true)
    }

    /// The first key binds the connection to its team, and to keys that are related.
    private func bind(_ token: ProviderToken, to connection: inout ConnectionState) throws(Rejection) {
        if let bound = connection.boundKey {
            guard bound.teamID == token.key.teamID else { throw Rejection(.invalidProviderToken) }
            guard bound.isRelated(to: token.key) else { throw Rejection(.unrelatedKeyIDInToken) }
        } else {
            connection.boundKey = token.key
        }
    }

    /// Counts a change by the time of arrival, not by `iat`.
    private func noteChange(
        in connection: inout ConnectionState,
        token: ProviderToken,
        now: WallTime
    ) throws(Rejection) {
        guard let last = connection.providerToken, last.serial != token.serial else { return }
        connection.changes.removeAll { $0.advanced(by: rules.providerTokenChangeWindow) <= now }
        connection.changes.append(now)
        if connection.changes.count > rules.providerTokenChanges {
            connection.blockedUntil = now.advanced(by: rules.providerTokenChangeWindow)
            throw Rejection(.tooManyProviderTokenUpdates)
        }
    }

    /// What follows the scheme; nil when the scheme is another or nothing follows.
    private func bearer(_ authorization: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = authorization.prefix(7)
        guard scheme.map({ $0 | 0x20 }).elementsEqual("bearer ".utf8) else { return nil }
        let jwt = authorization.dropFirst(7).drop { $0 == UInt8(ascii: " ") }
        return jwt.isEmpty ? nil : jwt
    }

    private func isSame(_ left: ArraySlice<UInt8>, _ right: [UInt8]) -> Bool {
        left.count == right.count
            && left.withUnsafeBytes { left in
                right.withUnsafeBytes { right in
                    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                    return memcmp(first, second, left.count) == 0
                }
            }
    }
}
