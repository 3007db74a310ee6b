package import CarillonModel
package import CarillonOperatorModel

/// A filter of audit entries.
package struct AuditQuery: Hashable, Sendable {
    /// A further condition besides time and App.
    package enum Subject: Hashable, Sendable {
        case everything
        /// Actions of an API key.
        case actor(String)
        /// Actions on an object.
        case object(String)
    }

    /// Only entries about this App; `nil` for all.
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

/// Stores the audit log.
package protocol AuditStore: Sendable {
    /// Appends records to the chain in one transaction; appends of all nodes are serialized.
    func append(_ records: [AuditRecord]) async throws(StoreError)

    /// Returns entries, the latest first.
    ///
    /// - Parameters:
    ///   - query: The filter.
    ///   - limit: The maximum number of entries.
    /// - Returns: The entries; empty when there are none.
    /// - Throws: ``StoreError``.
    func entries(_ query: AuditQuery, limit: Int) async throws(StoreError) -> [AuditEntry]

    /// Returns the App of an object; `nil` when it is the server's, or unknown.
    ///
    /// - Parameter object: An id with its prefix, such as `cmp_0fk2m9q3tw7x`.
    /// - Returns: The App.
    /// - Throws: ``StoreError``.
    func app(ofObject object: String) async throws(StoreError) -> AppID?

    /// Returns the sealed key of pseudonyms.
    ///
    /// - Parameter new: The key to insert when there is none.
    /// - Returns: The stored one, whichever node generated it.
    /// - Throws: ``StoreError``.
    func pseudonymKey(orInsert new: [UInt8]) async throws(StoreError) -> [UInt8]

    /// Returns the sealed key of pseudonyms; `nil` before there is one.
    func pseudonymKey() async throws(StoreError) -> [UInt8]?
}
