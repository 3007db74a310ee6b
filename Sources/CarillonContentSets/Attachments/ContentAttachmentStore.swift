package import CarillonModel
package import StoreErrors

/// An attachment with its file.
package struct NewContentAttachment: Sendable {
    package var attachment: ContentAttachment
    package var bytes: [UInt8]

    package init(_ attachment: ContentAttachment, bytes: [UInt8]) {
        self.attachment = attachment
        self.bytes = bytes
    }
}

/// Stores attachments and their files, in parts of ``ContentAttachmentLimits/partSize``.
package protocol ContentAttachmentStore: Sendable {
    /// Saves attachments to one row by one account, all of them or none.
    ///
    /// It happens only while the account is there and the current version of the table has the row.
    ///
    /// - Returns: Why nothing was saved, ``ContentSetError/tooMany(_:limit:)`` among it.
    func insert(_ attachments: [NewContentAttachment]) async throws(StoreError) -> Result<Void, ContentSetError>

    /// Returns attachments of a set, the latest first.
    ///
    /// - Parameters:
    ///   - set: The set.
    ///   - app: The App.
    ///   - filter: Which are wanted.
    ///   - id: Only earlier ones than this.
    ///   - limit: The maximum number.
    /// - Returns: The attachments.
    /// - Throws: ``StoreError``.
    func attachments(
        of set: String,
        app: AppID,
        _ filter: ContentAttachmentFilter,
        before id: ContentAttachmentID?,
        limit: Int
    ) async throws(StoreError) -> [ContentAttachment]

    /// - Returns: `nil` when the App has no such attachment.
    func attachment(_ id: ContentAttachmentID, app: AppID) async throws(StoreError) -> ContentAttachment?

    /// A part of a file, from 0.
    ///
    /// - Returns: `nil` after the last one, and when the attachment is gone.
    func part(_ number: Int, of id: ContentAttachmentID, app: AppID) async throws(StoreError) -> [UInt8]?

    /// Deletes an attachment with its file.
    ///
    /// - Returns: False when the set has none of the id.
    func deleteAttachment(_ id: ContentAttachmentID, of set: String, app: AppID) async throws(StoreError) -> Bool
}
