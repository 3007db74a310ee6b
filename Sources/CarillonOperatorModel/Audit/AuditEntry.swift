public import CarillonModel

/// Identifies an entry of the audit log.
public struct AuditEntryID: TimeOrderedID {
    /// The prefix of the text form: `aud`.
    public static let prefix = "aud"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number, which must be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// One entry of the audit log: actor, action, object, address and result.
///
/// Entries form a chain: each contains the hash of the previous one, and a hash over that and all its fields. Changing
/// or removing an entry requires rewriting all later ones.
public struct AuditEntry: Hashable, Sendable, Codable {
    /// Its id; later entries have greater ones.
    public var id: AuditEntryID
    /// When the action ended.
    public var at: Timestamp
    /// The actor: an API key's id, an Operator's id, `command` for a command that worked on the store itself, `unknown` for an invalid
    /// key, `retention` for the server when it deletes old entries.
    public var actor: String
    /// The caller's address as the server sees it; missing for commands.
    public var address: String?
    /// The action: method and route, such as `POST /v1/keys`, or a command, such as `carillon keys create`.
    public var action: String
    /// The App; missing when the action concerns the server.
    public var app: AppID?
    /// The object: an id, for a User `user:` and for a Device `device:` with 32 hexadecimal digits of a hash, so that
    /// the log survives an erasure and does not reveal the person.
    public var object: String?
    /// The result: the response's status, 200 through 599; 0 for commands and retention, which are recorded when they
    /// succeed.
    public var status: Int
    /// The session of the Operator; missing for other actors.
    public var session: OperatorSessionID?
    /// What changed, before → after, with secrets as "changed"; missing where it is not recorded.
    public var change: String?
    /// The hash of the previous entry, 64 hexadecimal digits; zeros for the first one.
    public var previousHash: String
    /// SHA-256 over the previous hash and all fields above, 64 hexadecimal digits.
    public var hash: String

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - at: When the action ended.
    ///   - actor: The actor.
    ///   - action: The action.
    ///   - status: The result.
    ///   - previousHash: The hash of the previous entry, 64 hexadecimal digits.
    ///   - hash: Its own hash.
    public init(
        id: AuditEntryID,
        at: Timestamp,
        actor: String,
        action: String,
        status: Int,
        previousHash: String,
        hash: String
    ) {
        self.id = id
        self.at = at
        self.actor = actor
        self.action = action
        self.status = status
        self.previousHash = previousHash
        self.hash = hash
    }
}
