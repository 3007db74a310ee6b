import CarillonBytes
package import CarillonModel

/// A token by which a person stays signed in; the store has only its SHA-256.
package enum AccountToken {
    /// How a token is written.
    package enum Form: Hashable, Sendable {
        /// `at_` and 43 characters of base64url: 256 bits.
        case carillon
        /// 32 hexadecimal digits in lower case, as a vendor's apps expect: 128 bits.
        case hexadecimal
    }

    /// Maximum length of what is looked up, in bytes.
    private static let maximumLength = 128

    /// Generates a token.
    static func make(_ form: Form, _ random: RandomBytes) -> String {
        switch form {
        case .carillon: Secret.text(prefix: "at", random: random)
        case .hexadecimal: Hexadecimal.encode(random(16))
        }
    }

    /// The hash under which a token is stored; `nil` for what cannot be a token.
    static func hash(of token: String) -> SecretHash? {
        (32...maximumLength).contains(token.utf8.count) ? SecretHash(of: token) : nil
    }
}

/// A token of a session as it is stored.
package struct StoredAccountToken: Hashable, Sendable {
    /// What a token is in its session.
    package enum State: Int64, Hashable, Sendable {
        /// The one that the phone has.
        case current = 0
        /// One that was issued to replace the current one, and that the phone has not used yet.
        case next = 1
        /// One that was replaced by a later one.
        case former = 2
    }

    package var user: UserID
    /// The session that the token belongs to: what one sign-in began.
    package var session: Int64
    package var state: State
    package var createdAt: Timestamp
    package var expiresAt: Timestamp
    /// When the first use of a later one replaced it; `nil` unless it is a former one.
    package var replacedAt: Timestamp?

    package init(
        user: UserID,
        session: Int64,
        state: State,
        createdAt: Timestamp,
        expiresAt: Timestamp,
        replacedAt: Timestamp? = nil
    ) {
        self.user = user
        self.session = session
        self.state = state
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.replacedAt = replacedAt
    }
}

/// What the use of a token leads to.
package enum AccountTokenUse: Hashable, Sendable {
    /// It is valid.
    case valid
    /// It is valid, and a new one is issued: its life is nearly over.
    case renew
    /// It is valid, and replaces the current one from now on.
    case promote
    /// It has expired.
    case expired
    /// It was replaced before, so that somebody else may have it: the session ends.
    case reused
}

extension StoredAccountToken {
    /// How long a replaced token is still valid, for requests that were under way, in milliseconds.
    package static let overlap: Int64 = 60_000

    /// Decides about a use of the token.
    ///
    /// In the last quarter of its life a token is renewed. The new one replaces it when the phone uses it, not before: an
    /// answer may be lost. A replaced one that comes after the overlap was copied.
    ///
    /// - Parameters:
    ///   - now: The time.
    ///   - next: When the session's next token was issued; `nil` when there is none.
    /// - Returns: What the use leads to.
    func use(at now: Timestamp, next: Timestamp?) -> AccountTokenUse {
        guard now < expiresAt else { return .expired }
        switch state {
        case .next: return .promote
        case .former:
            guard let replacedAt, now.rawValue - replacedAt.rawValue < Self.overlap else { return .reused }
            return .valid
        case .current:
            let life = expiresAt.rawValue - createdAt.rawValue
            guard expiresAt.rawValue - now.rawValue <= life / 4 else { return .valid }
            // Requests that run at the same time get one new token together.
            if let next, now.rawValue - next.rawValue < Self.overlap { return .valid }
            return .renew
        }
    }
}
