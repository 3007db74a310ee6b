package import CarillonModel
package import CarillonOperatorModel

/// What is looked for in the audit log.
package struct AuditQuery: Hashable, Sendable {
    /// What else than time and App bounds it.
    package enum Subject: Hashable, Sendable {
        case everything
        /// What an API key did.
        case actor(String)
        /// What was done to an object.
        case object(String)
    }

    /// Only what is about this App; `nil` for all.
    package var app: AppID?
    package var subject: Subject
    /// Only entries before this one.
    package var before: AuditEntryID
    /// Only this entry and later ones.
    package var first: AuditEntryID

    package init(
        app: AppID? = nil,
        subject: Subject = .everything,
        before: AuditEntryID = AuditEntryID(rawValue: .max),
        first: AuditEntryID = AuditEntryID(rawValue: 0)
    ) {
        self.app = app
        self.subject = subject
        self.before = before
        self.first = first
    }
}

/// Keeps the audit log.
package protocol AuditStore: Sendable {
    /// Puts records at the end of the chain, in one transaction and one after the other on all nodes.
    func append(_ records: [AuditRecord]) async throws(StoreError)

    /// Entries, the latest first.
    ///
    /// - Parameters:
    ///   - query: Which.
    ///   - limit: How many at most.
    /// - Returns: The entries; empty when there are none.
    /// - Throws: ``StoreError``.
    func entries(_ query: AuditQuery, limit: Int) async throws(StoreError) -> [AuditEntry]

    /// The App that something belongs to; `nil` when it is the server's, or unknown.
    ///
    /// - Parameter object: An id with its prefix, as `cmp_0fk2m9q3tw7x`.
    /// - Returns: The App.
    /// - Throws: ``StoreError``.
    func app(ofObject object: String) async throws(StoreError) -> AppID?

    /// The sealed key of the names of people and Devices.
    ///
    /// - Parameter new: Is kept when there is none.
    /// - Returns: The one that is kept, whoever made it.
    /// - Throws: ``StoreError``.
    func pseudonymKey(orInsert new: [UInt8]) async throws(StoreError) -> [UInt8]

    /// The sealed key of names of people; `nil` before there is one.
    func pseudonymKey() async throws(StoreError) -> [UInt8]?
}
