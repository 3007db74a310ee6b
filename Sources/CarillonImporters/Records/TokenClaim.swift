package import CarillonModel

/// What a row says of its token: all that tells which of several rows with one token holds.
package struct TokenClaim: Hashable, Sendable {
    package var token: DeviceToken
    /// When the service last heard from the device.
    package var seenAt: Timestamp?
    /// Whether the service has not put another row in this one's place.
    package var isActive = true
    /// Whether the person consents to notifications.
    package var consents: Bool
    /// Whether the row says that the token is dead.
    package var isDead = false

    package init(_ token: DeviceToken, seenAt: Timestamp?, consents: Bool) {
        self.token = token
        self.seenAt = seenAt
        self.consents = consents
    }
}

extension RowFate {
    /// What the row says of its token; `nil` when nothing that counts.
    package var tokenClaim: TokenClaim? {
        switch self {
        case .device(let record):
            guard let token = record.registration.token else { return nil }
            var claim = TokenClaim(token, seenAt: record.seenAt, consents: record.registration.consent.notifications)
            claim.isActive = record.isActive
            return claim
        case .dead(let record):
            guard let token = record.registration.token else { return nil }
            var claim = TokenClaim(token, seenAt: record.seenAt, consents: false)
            claim.isDead = true
            return claim
        case .claim(let claim): return claim
        case .user, .other, .leftOut, .refused, .joined, .half: return nil
        }
    }
}
