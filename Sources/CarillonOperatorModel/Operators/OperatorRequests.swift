public import CarillonModel

/// The lengths of what Operators have, in characters.
package enum OperatorLimits {
    package static let addresses = 1...128
    package static let displayNames = 1...64
    package static let passwords = 15...128
    /// Maximum number of Apps that an Operator has a role in.
    package static let apps = 1_000
    /// The lengths of names of passkeys.
    package static let passkeyNames = 1...64
    /// Maximum number of passkeys of an Operator.
    package static let passkeys = 20
    /// Maximum number of accounts of identity providers of an Operator.
    package static let identities = 20
}

/// The body of `POST /v1/operators`.
public struct OperatorInvitation: Hashable, Sendable, Codable {
    /// The name that the Operator will sign in with: 1 through 128 characters.
    public var address: String
    /// The name that others see, 1 through 64 characters; the address when missing, until the Operator chooses one.
    public var displayName: String?
    /// The role in every App; missing for none.
    public var role: OperatorRole?
    /// The roles in single Apps; at least one when there is no role everywhere.
    public var apps: [OperatorAppRole]

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - address: The name that the Operator will sign in with.
    ///   - displayName: The name that others see.
    ///   - roles: The roles.
    public init(address: String, displayName: String? = nil, roles: OperatorRoles) {
        self.address = address
        self.displayName = displayName
        role = roles.everywhere
        apps = roles.apps
    }

    /// All roles.
    public var roles: OperatorRoles { OperatorRoles(everywhere: role, apps: apps) }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case address, displayName, role, apps
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let address = try fields.text(.address, OperatorLimits.addresses) else {
            throw fields.failure(.address, "is required")
        }
        self.address = address
        displayName = try fields.text(.displayName, OperatorLimits.displayNames)
        role = try fields.optional(.role)
        apps = try fields.optional(.apps) ?? []
    }
}

/// The body of `PATCH /v1/operators/{operator}`: only the fields that are given change.
public struct OperatorUpdate: Hashable, Sendable, Codable {
    /// The role in every App.
    public var role: RoleChange?
    /// The roles in single Apps, which replace all of them.
    public var apps: [OperatorAppRole]?
    /// Whether the Operator can sign in.
    public var isDisabled: Bool?
    /// The name that others see, 1 through 64 characters.
    public var displayName: String?

    /// A role everywhere, or none.
    public enum RoleChange: Hashable, Sendable {
        case role(OperatorRole)
        case noRole
    }

    /// Creates a change of nothing.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case role, apps, isDisabled, displayName
    }

    /// Decodes a change strictly; `role` null takes the role everywhere away.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        if fields.contains(.role) {
            let given: OperatorRole? = try fields.optional(.role)
            role = given.map(RoleChange.role) ?? .noRole
        }
        apps = try fields.optional(.apps)
        isDisabled = try fields.optional(.isDisabled)
        displayName = try fields.text(.displayName, OperatorLimits.displayNames)
    }

    /// Writes the fields that are given.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch role {
        case .role(let role)?: try container.encode(role, forKey: .role)
        case .noRole?: try container.encodeNil(forKey: .role)
        case nil: break
        }
        try container.encodeIfPresent(apps, forKey: .apps)
        try container.encodeIfPresent(isDisabled, forKey: .isDisabled)
        try container.encodeIfPresent(displayName, forKey: .displayName)
    }
}

/// The body of `POST /v1/operators/{operator}/link`.
public struct OperatorLinkRequest: Hashable, Sendable, Codable {
    /// Whether using the link removes the second factor too; false when missing.
    public var removesSecondFactor: Bool

    /// Creates a request.
    ///
    /// - Parameter removesSecondFactor: Whether using the link removes the second factor too.
    public init(removesSecondFactor: Bool = false) { self.removesSecondFactor = removesSecondFactor }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case removesSecondFactor
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        removesSecondFactor = try fields.optional(.removesSecondFactor) ?? false
    }
}

/// A link of an Operator: its secret is returned only once.
public struct OperatorLink: Hashable, Sendable, Codable {
    /// What a link is for.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// To make the first Operator, for 60 minutes.
        case setup
        /// To accept an invitation, for 24 hours.
        case invite
        /// To choose a new password, for 24 hours.
        case reset
    }

    /// What it is for.
    public var kind: Kind
    /// Its path below the console's address, with the secret: `/console/invite/…`.
    public var path: String
    /// When it expires.
    public var expiresAt: Timestamp

    /// Creates a link.
    ///
    /// - Parameters:
    ///   - kind: What it is for.
    ///   - secret: The secret part of its path.
    ///   - expiresAt: When it expires.
    public init(kind: Kind, secret: String, expiresAt: Timestamp) {
        self.kind = kind
        path = "/console/\(kind.rawValue)/\(secret)"
        self.expiresAt = expiresAt
    }
}

/// An Operator with a link for that person.
public struct OperatorWithLink: Hashable, Sendable, Codable {
    /// The Operator; its field in JSON is `operator`.
    public var person: Operator
    /// The link, to be given to that person alone.
    public var link: OperatorLink

    /// Creates the answer.
    ///
    /// - Parameters:
    ///   - person: The Operator.
    ///   - link: The link.
    public init(person: Operator, link: OperatorLink) {
        self.person = person
        self.link = link
    }

    enum CodingKeys: String, CodingKey {
        case person = "operator"
        case link
    }
}
