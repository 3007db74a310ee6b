package import CarillonModel
package import StoreErrors

/// Why something about content sets is not done.
package enum ContentSetError: Error, Hashable, Sendable {
    case notFound
    case noApp
    /// The table has no row of the key.
    case noRow
    /// The set has no source of the name.
    case noSource
    /// The set has no follow of the id.
    case noFollow
    /// The table has no alert.
    case noAlert
    /// The set has no attachment of the id.
    case noAttachment
    /// The table takes no attachments.
    case noAttachments
    /// Nobody has this account.
    case noAccount
    /// A query or a definition that does not fit, all errors at once.
    case invalid([FieldError])
    /// There are as many as there may be of what the text names, such as "content sets of an App".
    case tooMany(String, limit: Int)
    /// It is not in a state for this, for a reason that is a whole sentence.
    case conflict(String)
    /// The file is refused; the run says why.
    case refused(ContentImportRun)
    case store(StoreError)
}

/// Turns an error of the store into one of content sets.
package func stored<Value: Sendable>(
    _ body: @autoclosure () async throws(StoreError) -> Value
) async throws(ContentSetError) -> Value {
    do throws(StoreError) {
        return try await body()
    } catch {
        throw .store(error)
    }
}
