public import CarillonModel

/// A passkey of an Operator, without its key.
public struct OperatorPasskey: Hashable, Sendable, Codable {
    /// The passkey's id.
    public var id: OperatorPasskeyID
    /// The name that the Operator gave it.
    public var name: String
    /// Whether it may be on several devices of its owner, as those of a password manager are.
    public var isSynced: Bool
    /// When it was registered.
    public var createdAt: Timestamp
    /// When it was used last; missing before the first time.
    public var usedAt: Timestamp?

    /// Creates a passkey.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - name: The name.
    ///   - isSynced: Whether it may be on several devices of its owner.
    ///   - createdAt: When it was registered.
    ///   - usedAt: When it was used last.
    public init(id: OperatorPasskeyID, name: String, isSynced: Bool, createdAt: Timestamp, usedAt: Timestamp? = nil) {
        self.id = id
        self.name = name
        self.isSynced = isSynced
        self.createdAt = createdAt
        self.usedAt = usedAt
    }
}

/// An account of an identity provider that signs an Operator in.
public struct OperatorIdentity: Hashable, Sendable, Codable {
    /// The identity's id.
    public var id: OperatorIdentityID
    /// The provider's address (`iss`).
    public var issuer: String
    /// The account's id at the provider (`sub`).
    public var subject: String
    /// When it signed in first.
    public var createdAt: Timestamp
    /// When it signed in last.
    public var usedAt: Timestamp

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - issuer: The provider's address.
    ///   - subject: The account's id at the provider.
    ///   - createdAt: When it signed in first.
    ///   - usedAt: When it signed in last.
    public init(id: OperatorIdentityID, issuer: String, subject: String, createdAt: Timestamp, usedAt: Timestamp) {
        self.id = id
        self.issuer = issuer
        self.subject = subject
        self.createdAt = createdAt
        self.usedAt = usedAt
    }
}

/// How an Operator can sign in, beside the password and the authenticator.
public struct OperatorSignIns: Hashable, Sendable, Codable {
    /// The passkeys, the oldest first.
    public var passkeys: [OperatorPasskey]
    /// The accounts of an identity provider, the oldest first.
    public var identities: [OperatorIdentity]

    /// Creates the list.
    ///
    /// - Parameters:
    ///   - passkeys: The passkeys.
    ///   - identities: The accounts of an identity provider.
    public init(passkeys: [OperatorPasskey], identities: [OperatorIdentity]) {
        self.passkeys = passkeys
        self.identities = identities
    }
}
