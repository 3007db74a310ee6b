public import CarillonModel

/// A person's account of an App, as the person sees it.
public struct Account: Hashable, Sendable, Codable {
    /// The account's id, which is the id of the User that messages are sent to.
    public var user: UserID
    /// The name that the person signs in with; missing for a guest.
    public var name: String?
    /// The name that others see: 1 through 64 characters.
    public var displayName: String
    /// Whether the account has neither name nor password.
    public var isGuest: Bool
    /// When the account was created.
    public var createdAt: Timestamp

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - user: The account's id.
    ///   - name: The name that the person signs in with; `nil` for a guest.
    ///   - displayName: The name that others see.
    ///   - createdAt: When it was created.
    public init(user: UserID, name: String?, displayName: String, createdAt: Timestamp) {
        self.user = user
        self.name = name
        self.displayName = displayName
        isGuest = name == nil
        self.createdAt = createdAt
    }
}

/// A person who is signed in: the account, and what proves it.
public struct AccountSession: Hashable, Sendable, Codable {
    /// The account.
    public var account: Account
    /// The token of later requests; missing when the former one stays valid.
    ///
    /// One in any response replaces the stored one.
    public var token: String?
    /// When the token that is valid now expires.
    public var expiresAt: Timestamp
    /// Claims the account's User for a Device; valid for an hour.
    public var userProof: UserProof

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - token: A new token; `nil` when the former one stays valid.
    ///   - expiresAt: When the valid token expires.
    ///   - userProof: Claims the account's User for a Device.
    public init(account: Account, token: String?, expiresAt: Timestamp, userProof: UserProof) {
        self.account = account
        self.token = token
        self.expiresAt = expiresAt
        self.userProof = userProof
    }
}
