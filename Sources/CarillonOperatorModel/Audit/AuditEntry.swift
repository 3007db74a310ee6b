public import CarillonModel

/// Names an entry of the audit log.
public struct AuditEntryID: TimeOrderedID {
    /// What the text form begins with: `aud`.
    public static let prefix = "aud"
    /// The number, 0 through 2⁶⁰ − 1.
    public let rawValue: Int64

    /// Wraps a number that is known to be in range.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

/// One entry of the audit log: who did what to which object, from where, and how it ended.
///
/// Entries form a chain: each has the hash of the one before, and its own over that and all its fields. Whoever changes
/// or takes out an entry must write all later ones anew.
public struct AuditEntry: Hashable, Sendable, Codable {
    /// Its id; later entries have greater ones.
    public var id: AuditEntryID
    /// When it ended.
    public var at: Timestamp
    /// Who: an API key's id, `command` for a command that worked on the store itself, `unknown` for a key that is none,
    /// `retention` for the server when it drops old entries.
    public var actor: String
    /// From where: the caller's address as the server sees it; missing for commands.
    public var address: String?
    /// What was done: method and route, as `POST /v1/keys`, or a command, as `carillon keys create`.
    public var action: String
    /// The App that it is about; missing when it is about the server.
    public var app: AppID?
    /// The object that it is about: an id, for a User `user:` and for a Device `device:` with 32 hexadecimal digits of a
    /// hash, so that the log survives an erasure and names nobody.
    public var object: String?
    /// How it ended: the answer's status, 200 through 599; 0 for commands and retention, which are recorded when they succeed.
    public var status: Int
    /// The hash of the entry before, 64 hexadecimal digits; zeros for the first one.
    public var previousHash: String
    /// SHA-256 over the hash before and all fields above, 64 hexadecimal digits.
    public var hash: String

    /// Makes an entry.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - at: When it ended.
    ///   - actor: Who.
    ///   - action: What was done.
    ///   - status: How it ended.
    ///   - previousHash: The hash of the entry before, 64 hexadecimal digits.
    ///   - hash: Its own.
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
