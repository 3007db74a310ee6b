public import CarillonModel

/// An Operator: a person who uses the console.
public struct Operator: Hashable, Sendable, Codable {
    /// The state of an Operator.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// The Operator has an invitation and no password yet.
        case invited
        /// The Operator can sign in.
        case active
        /// The Operator cannot sign in, and all sessions have ended.
        case disabled
    }

    /// The theme of the console's pages.
    public enum Theme: String, Hashable, Sendable, Codable, CaseIterable {
        /// The one of the browser.
        case system
        case light
        case dark
    }

    /// The Operator's id.
    public var id: OperatorID
    /// The name that the Operator signs in with, usually an address of mail; it is unique whatever its case.
    public var address: String
    /// The name that others see.
    public var displayName: String
    /// The state.
    public var state: State
    /// The role in every App and in what concerns the server; missing for none.
    public var role: OperatorRole?
    /// The roles in single Apps.
    public var apps: [OperatorAppRole]
    /// The language of the pages; missing for the browser's.
    public var language: String?
    /// The time zone of the pages; missing for the App's.
    public var zone: String?
    /// The theme of the pages.
    public var theme: Theme
    /// Whether signing in with the password needs more: there is an authenticator or a passkey.
    public var hasSecondFactor: Bool
    /// Whether there is an authenticator that shows codes.
    public var hasAuthenticator: Bool
    /// How many passkeys the Operator has.
    public var passkeys: Int
    /// How many accounts of an identity provider sign the Operator in.
    public var identities: Int
    /// How many recovery codes are left.
    public var recoveryCodes: Int
    /// When the Operator was invited or created.
    public var createdAt: Timestamp
    /// When the Operator signed in last; missing before the first time.
    public var signedInAt: Timestamp?

    /// Creates an Operator without language, zone and second factor.
    ///
    /// - Parameters:
    ///   - id: The id.
    ///   - address: The name that the Operator signs in with.
    ///   - displayName: The name that others see.
    ///   - state: The state.
    ///   - roles: The roles.
    ///   - createdAt: When the Operator was created.
    public init(
        id: OperatorID,
        address: String,
        displayName: String,
        state: State,
        roles: OperatorRoles,
        createdAt: Timestamp
    ) {
        self.id = id
        self.address = address
        self.displayName = displayName
        self.state = state
        role = roles.everywhere
        apps = roles.apps
        theme = .system
        (hasSecondFactor, hasAuthenticator) = (false, false)
        (passkeys, identities) = (0, 0)
        recoveryCodes = 0
        self.createdAt = createdAt
    }

    /// All roles.
    public var roles: OperatorRoles {
        get { OperatorRoles(everywhere: role, apps: apps) }
        set { (role, apps) = (newValue.everywhere, newValue.apps) }
    }
}

/// A session of an Operator, as it is listed.
public struct OperatorSessionRecord: Hashable, Sendable, Codable {
    /// The session's id, which the audit log has.
    public var id: OperatorSessionID
    /// When the Operator signed in.
    public var createdAt: Timestamp
    /// When it was used last, to the half minute.
    public var usedAt: Timestamp
    /// The address that it was used from last; missing when it is unknown.
    public var address: String?
    /// The browser's own description; missing when it has none.
    public var client: String?

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - id: The session's id.
    ///   - createdAt: When the Operator signed in.
    ///   - usedAt: When it was used last.
    ///   - address: The address.
    ///   - client: The browser's own description.
    public init(
        id: OperatorSessionID,
        createdAt: Timestamp,
        usedAt: Timestamp,
        address: String?,
        client: String?
    ) {
        self.id = id
        self.createdAt = createdAt
        self.usedAt = usedAt
        self.address = address
        self.client = client
    }
}
