import Foundation

extension RequestValidator {
    /// Authenticates the sender.
    ///
    /// - Throws: The rejection. Nothing is thrown on a connection with a certificate, whose `authorization` is ignored.
    func authenticate(
        _ request: borrowing IncomingRequest,
        connection: inout ConnectionState,
        keys: inout SigningKeys,
        now: SimulatedTime
    ) throws(Rejection) {
        if connection.keysGeneration == keys.generation {
            guard connection.certificate == nil else { return }
            if connection.providerTokenSpan.contains(now), request.isSame(.authorization, connection.authorization) {
                return
            }
        }
        if connection.certificate == nil {
            try readToken(request, connection: &connection, keys: &keys, now: now)
        }
        connection.keysGeneration = keys.generation
        connection.topic = []
    }

    /// Parses and verifies a provider token that is new on the connection, or must be verified again.
    private func readToken(
        _ request: borrowing IncomingRequest,
        connection: inout ConnectionState,
        keys: inout SigningKeys,
        now: SimulatedTime
    ) throws(Rejection) {
        // If this fails, cached results must be checked again.
        connection.keysGeneration = 0
        guard let authorization = request[.authorization], let jwt = bearer(authorization) else {
            throw Rejection(.missingProviderToken)
        }
        let token = try keys.verify(jwt, mode: rules.providerTokens)
        if let environment = token.key.environment, environment != rules.environment {
            throw Rejection(rules.otherEnvironmentReason)
        }
        let issued = SimulatedTime(seconds: token.issuedAt)
        let last = issued.advanced(by: rules.providerTokenLifetime)
        guard now <= last else { throw Rejection(.expiredProviderToken) }
        let first = issued.advanced(by: .zero - rules.clockTolerance)
        guard first <= now else { throw Rejection(.invalidProviderToken) }
        guard !isBlocked(&connection, keys: &keys, now: now) else { throw Rejection(.tooManyProviderTokenUpdates) }
        try bind(token, to: &connection)
        try recordChange(in: &connection, token: token, keys: &keys, now: now)
        connection.providerToken = token
        connection.authorization = Array(authorization)
        connection.providerTokenSpan = first...last
    }

    /// Binds the connection to the team of its first key, and to related keys.
    private func bind(_ token: ProviderToken, to connection: inout ConnectionState) throws(Rejection) {
        if let bound = connection.boundKey {
            guard bound.teamID == token.key.teamID else { throw Rejection(.invalidProviderToken) }
            guard bound.isRelated(to: token.key) else { throw Rejection(.unrelatedKeyIDInToken) }
        } else {
            connection.boundKey = token.key
        }
    }

    private func isBlocked(_ connection: inout ConnectionState, keys: inout SigningKeys, now: SimulatedTime) -> Bool {
        switch rules.providerTokenChangeScope {
        case .connection: connection.changes.isBlocked(at: now)
        case .source: keys.sources.isBlocked(connection.source, at: now)
        }
    }

    private func recordChange(
        in connection: inout ConnectionState,
        token: ProviderToken,
        keys: inout SigningKeys,
        now: SimulatedTime
    ) throws(Rejection) {
        let (allowance, window) = (rules.providerTokenChanges, rules.providerTokenChangeWindow)
        switch rules.providerTokenChangeScope {
        case .connection:
            guard let last = connection.providerToken, last.serial != token.serial else { return }
            guard connection.changes.record(at: now, allowance: allowance, window: window) else { return }
        case .source:
            let isTooMany = keys.sources.record(
                token.serial,
                from: connection.source,
                at: now,
                allowance: allowance,
                window: window
            )
            guard isTooMany else { return }
            // Cached results of other connections from there must be checked again.
            keys.reconsider()
        }
        throw Rejection(.tooManyProviderTokenUpdates)
    }

    /// The token after the scheme; nil when the scheme is another or the token is empty.
    private func bearer(_ authorization: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = authorization.prefix(7)
        guard scheme.map({ $0 | 0x20 }).elementsEqual("bearer ".utf8) else { return nil }
        let jwt = authorization.dropFirst(7).drop { $0 == UInt8(ascii: " ") }
        return jwt.isEmpty ? nil : jwt
    }
}
