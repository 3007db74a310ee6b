import CarillonBytes
package import CarillonModel
package import CarillonOperatorModel
import Crypto
import Foundation

/// Where a request to the console comes from.
package struct OperatorCaller: Hashable, Sendable {
    /// The address as the server sees it.
    package var address: String?
    /// What attempts are counted by: an IPv4 address or an IPv6 /64 block.
    package var network: String
    /// The browser's own description; cut to 200 characters.
    package var client: String?

    package init(address: String?, network: String, client: String? = nil) {
        self.address = address
        self.network = network
        self.client = client.map { String($0.prefix(200)) }
    }
}

/// A session of an Operator.
package struct OperatorSession: Hashable, Sendable {
    /// How far signing in has come.
    package enum Stage: Hashable, Sendable {
        /// The password was right, and a code is missing.
        case secondFactor
        /// The password was right; the Operator's role needs a second factor, which is to be set up now.
        case enrolment
        /// The Operator is signed in.
        case full
    }

    /// How a session began.
    package enum Method: String, Hashable, Sendable, CaseIterable {
        case password
        case passkey
        /// An identity provider.
        case provider
        /// The header of a proxy.
        case proxy
    }

    /// The id, which the audit log has.
    package var id: OperatorSessionID
    /// Who is signed in.
    package var owner: Operator
    /// How it began.
    package var method: Method
    package var stage: Stage
    package var createdAt: Timestamp
    /// When it was used last, to the half minute.
    package var usedAt: Timestamp
    /// When the last password or code was right.
    package var authenticatedAt: Timestamp
    /// When it ends, however much it is used.
    package var expiresAt: Timestamp
    /// When it ends unless it is used before.
    package var idleAt: Timestamp
    package var address: String?
    package var client: String?
    /// Wrong passwords and codes between the sign-in before and this one.
    package var failedAttempts: Int

    package init(
        id: OperatorSessionID,
        owner: Operator,
        method: Method = .password,
        stage: Stage,
        createdAt: Timestamp,
        usedAt: Timestamp,
        authenticatedAt: Timestamp,
        expiresAt: Timestamp,
        idleAt: Timestamp,
        address: String? = nil,
        client: String? = nil,
        failedAttempts: Int = 0
    ) {
        self.id = id
        self.owner = owner
        self.method = method
        self.stage = stage
        self.createdAt = createdAt
        self.usedAt = usedAt
        self.authenticatedAt = authenticatedAt
        self.expiresAt = expiresAt
        self.idleAt = idleAt
        self.address = address
        self.client = client
        self.failedAttempts = failedAttempts
    }

    /// The role in an App; `nil` before the Operator is signed in whole, and when there is none.
    ///
    /// - Parameter app: The App; `nil` for what concerns the server.
    /// - Returns: The role.
    package func role(in app: AppID?) -> OperatorRole? { stage == .full ? owner.roles.role(in: app) : nil }

    /// Checks that the Operator has a role, or a greater one.
    ///
    /// - Parameters:
    ///   - role: The least role.
    ///   - app: The App; `nil` for what concerns the server.
    /// - Throws: ``OperatorRefusal/incomplete``; ``EngineError/notFound(_:)`` for an App in which the Operator has no role
    ///   at all, so that its existence is not told; ``OperatorRefusal/roleRequired(_:)``.
    package func require(_ role: OperatorRole, in app: AppID?) throws(EngineError) {
        guard stage == .full else { throw .operators(.incomplete) }
        guard let own = owner.roles.role(in: app) else {
            throw app == nil ? .operators(.roleRequired(role)) : .notFound(.app)
        }
        guard own >= role else { throw .operators(.roleRequired(role)) }
    }
}

/// A session with its secret value, which the browser gets as a cookie and the store does not have.
package struct OpenedSession: Hashable, Sendable {
    /// 43 characters of base64url: 256 bits.
    package var value: String
    package var session: OperatorSession

    package init(value: String, session: OperatorSession) {
        self.value = value
        self.session = session
    }
}

/// The secret values of sessions, and what is derived from them.
package enum SessionValue {
    /// Generates a value; also for visitors who are not signed in, whose forms need a CSRF token too.
    ///
    /// No row is stored.
    package static func make(_ random: RandomBytes = .system) -> String { Base64URL.encode(random(32)) }

    /// The CSRF token of a session's forms: HMAC-SHA256 with the session's value as the key.
    package static func csrfToken(of value: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("carillon console form".utf8),
            using: SymmetricKey(data: Data(value.utf8))
        )
        return Base64URL.encode(Array(code))
    }

    /// Whether a text is the CSRF token of a session; compares in constant time.
    package static func isCSRFToken(_ text: String, of value: String) -> Bool {
        SecretHash(of: text) == SecretHash(of: csrfToken(of: value))
    }

    /// The hash under which a value is stored; `nil` for what cannot be one.
    static func hash(of value: String) -> SecretHash? { value.utf8.count == 43 ? SecretHash(of: value) : nil }
}
