import CarillonModel

/// The body of `POST /v1/accounts/sign-up` and `PUT /v1/accounts/me/credentials`.
public struct SignUpRequest: Hashable, Sendable, Codable {
    /// The name that the person signs in with: 1 through 128 characters.
    public var name: String
    /// The password: 8 through 256 characters.
    public var password: String
    /// The name that others see, 1 through 64 characters; when missing, the name's part before `@`.
    public var displayName: String?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - name: The name that the person signs in with.
    ///   - password: The password.
    ///   - displayName: The name that others see.
    public init(name: String, password: String, displayName: String? = nil) {
        self.name = name
        self.password = password
        self.displayName = displayName
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, password, displayName
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        name = try fields.required(.name, lengths: AccountLimits.names)
        password = try fields.requiredPassword(.password, AccountLimits.newPasswords)
        displayName = try fields.displayName(.displayName)
    }
}

/// The body of `POST /v1/accounts/sign-in`.
public struct SignInRequest: Hashable, Sendable, Codable {
    /// The account's name.
    public var name: String
    /// The password.
    public var password: String

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - name: The account's name.
    ///   - password: The password.
    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, password
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        name = try fields.required(.name, lengths: AccountLimits.names)
        password = try fields.requiredPassword(.password, AccountLimits.passwords)
    }
}

/// The body of `PUT /v1/accounts/me/password`.
public struct PasswordChange: Hashable, Sendable, Codable {
    /// The password so far.
    public var oldPassword: String
    /// The new password: 8 through 256 characters.
    public var newPassword: String

    /// Creates a change.
    ///
    /// - Parameters:
    ///   - oldPassword: The password so far.
    ///   - newPassword: The new password.
    public init(oldPassword: String, newPassword: String) {
        self.oldPassword = oldPassword
        self.newPassword = newPassword
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case oldPassword, newPassword
    }

    /// Decodes a change strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        oldPassword = try fields.requiredPassword(.oldPassword, AccountLimits.passwords)
        newPassword = try fields.requiredPassword(.newPassword, AccountLimits.newPasswords)
    }
}

/// The body of `POST /v1/accounts/me/delete`.
public struct AccountDeletion: Hashable, Sendable, Codable {
    /// The password; missing for a guest, who has none.
    public var password: String?

    /// Creates the body.
    ///
    /// - Parameter password: The password; `nil` for a guest.
    public init(password: String? = nil) { self.password = password }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case password
    }

    /// Decodes the body strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        password = try fields.password(.password, AccountLimits.passwords)
    }
}

extension Fields {
    /// Reads a required text.
    func required(_ key: Key, lengths: ClosedRange<Int>) throws -> String {
        guard let text = try text(key, lengths) else { throw failure(key, "is required") }
        return text
    }

    /// Reads a required password.
    func requiredPassword(_ key: Key, _ lengths: ClosedRange<Int>) throws -> String {
        guard let password = try password(key, lengths) else { throw failure(key, "is required") }
        return password
    }
}
