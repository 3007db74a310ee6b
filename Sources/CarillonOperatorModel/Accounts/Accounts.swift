import CarillonAccountModel
public import CarillonModel

/// An account as operators see it.
public struct AccountRecord: Hashable, Sendable, Codable {
    /// The state of an account.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// The person can sign in.
        case active
        /// The person signed up at a vendor API and did not complete it yet.
        case pending
        /// An operator blocked the account; nobody can sign in.
        case blocked
    }

    /// The account's id, which is the User's.
    public var user: UserID
    /// The name that the person signs in with; missing for a guest.
    public var name: String?
    /// The name that others see.
    public var displayName: String
    /// Whether the account has neither name nor password.
    public var isGuest: Bool
    /// The state of the account.
    public var state: State
    /// When the account was created.
    public var createdAt: Timestamp
    /// When the account was used last, to the day.
    public var usedAt: Timestamp

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - user: The account's id.
    ///   - name: The name; `nil` for a guest.
    ///   - displayName: The name that others see.
    ///   - state: The state of the account.
    ///   - createdAt: When it was created.
    ///   - usedAt: When it was used last.
    public init(
        user: UserID,
        name: String?,
        displayName: String,
        state: State,
        createdAt: Timestamp,
        usedAt: Timestamp
    ) {
        self.user = user
        self.name = name
        self.displayName = displayName
        isGuest = name == nil
        self.state = state
        self.createdAt = createdAt
        self.usedAt = usedAt
    }
}

/// The body of `POST /v1/accounts`.
public struct AccountRequest: Hashable, Sendable, Codable {
    /// The name that the person signs in with: 1 through 128 characters.
    public var name: String
    /// The password, 8 through 256 characters; generated when missing.
    public var password: String?
    /// The name that others see, 1 through 64 characters; when missing, the name's part before `@`.
    public var displayName: String?
    /// The User that the account is for, who may have Devices already; generated when missing.
    public var user: UserID?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - name: The name that the person signs in with.
    ///   - password: The password; `nil` generates one.
    ///   - displayName: The name that others see.
    ///   - user: The User that the account is for; `nil` generates an id.
    public init(name: String, password: String? = nil, displayName: String? = nil, user: UserID? = nil) {
        self.name = name
        self.password = password
        self.displayName = displayName
        self.user = user
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, password, displayName, user
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let name = try fields.text(.name, AccountLimits.names) else { throw fields.failure(.name, "is required") }
        self.name = name
        password = try fields.password(.password, AccountLimits.newPasswords)
        displayName = try fields.displayName(.displayName)
        user = try fields.optional(.user)
    }
}

/// The body of `PATCH /v1/users/{user}/account`.
public struct AccountUpdate: Hashable, Sendable, Codable {
    /// Whether the account is blocked: nobody can sign in, and all its tokens end.
    public var isBlocked: Bool?
    /// The name that others see: 1 through 64 characters.
    public var displayName: String?

    /// Creates a change of nothing.
    public init() {}

    enum CodingKeys: String, CodingKey, CaseIterable {
        case isBlocked, displayName
    }

    /// Decodes a change strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        isBlocked = try fields.optional(.isBlocked)
        displayName = try fields.displayName(.displayName)
    }
}

/// The body of `PUT /v1/users/{user}/account/password`.
public struct AccountPasswordRequest: Hashable, Sendable, Codable {
    /// The new password, 8 through 256 characters; generated when missing.
    public var password: String?

    /// Creates a request.
    ///
    /// - Parameter password: The new password; `nil` generates one.
    public init(password: String? = nil) { self.password = password }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case password
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        password = try fields.password(.password, AccountLimits.newPasswords)
    }
}

/// An account with the password that was generated for it: that is returned only once.
public struct AccountSecret: Hashable, Sendable, Codable {
    /// The account.
    public var account: AccountRecord
    /// The generated password; missing when the request had one.
    public var password: String?

    /// Creates the answer.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - password: The generated password.
    public init(account: AccountRecord, password: String?) {
        self.account = account
        self.password = password
    }
}
