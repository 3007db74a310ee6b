package import CarillonModel

/// Names an attachment.
package struct ContentAttachmentID: TimeOrderedID {
    /// The prefix of the text form: `att`.
    package static let prefix = "att"
    /// The number, 0 through 2⁶⁰ − 1.
    package let rawValue: Int64

    /// Wraps a number, which must be in range.
    package init(rawValue: Int64) { self.rawValue = rawValue }
}

/// A file that a person has attached to a row of a content set.
package struct ContentAttachment: Hashable, Sendable {
    package var id: ContentAttachmentID
    package var app: AppID
    package var set: String
    package var table: String
    /// The key of the row.
    package var row: String
    /// Who has attached it.
    package var user: UserID
    /// What the app calls its kind: see ``ContentAttachmentLimits/kinds``.
    package var kind: Int
    package var title: String?
    /// The file's name.
    package var name: String
    /// By the file's own bytes.
    package var mediaType: String
    /// Bytes.
    package var size: Int
    package var createdAt: Timestamp

    package init(
        id: ContentAttachmentID,
        app: AppID,
        set: String,
        table: String,
        row: String,
        user: UserID,
        kind: Int,
        title: String?,
        name: String,
        mediaType: String,
        size: Int,
        createdAt: Timestamp
    ) {
        self.id = id
        self.app = app
        self.set = set
        self.table = table
        self.row = row
        self.user = user
        self.kind = kind
        self.title = title
        self.name = name
        self.mediaType = mediaType
        self.size = size
        self.createdAt = createdAt
    }
}

extension ContentAttachment: Encodable {
    private enum CodingKeys: String, CodingKey {
        case id, set, table, row, user, kind, title, name, mediaType, size, createdAt
    }

    /// Writes the attachment as answers have it, without its file.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(id, forKey: .id)
        try fields.encode(set, forKey: .set)
        try fields.encode(table, forKey: .table)
        try fields.encode(row, forKey: .row)
        try fields.encode(user, forKey: .user)
        try fields.encode(kind, forKey: .kind)
        try fields.encodeIfPresent(title, forKey: .title)
        try fields.encode(name, forKey: .name)
        try fields.encode(mediaType, forKey: .mediaType)
        try fields.encode(size, forKey: .size)
        try fields.encode(createdAt, forKey: .createdAt)
    }
}

/// How much may be attached.
package enum ContentAttachmentLimits {
    /// Files of one call, and their bytes together.
    package static let filesAtOnce = 3
    package static let bytesAtOnce = 1_000_000
    /// Files of one account in an App, and their bytes together.
    package static let filesOfUser = 100
    package static let bytesOfUser = 20_000_000
    /// Files of one App, and their bytes together; a little more when many come at once.
    package static let filesOfApp = 10_000
    package static let bytesOfApp = 1_000_000_000
    /// Kinds: icon, file, image, and two for video and audio, of which apps disagree which is which.
    package static let kinds = 1...5
    package static let titleLength = 1...200
    /// Bytes of a file's name.
    package static let nameSize = 255
    /// Bytes of a part of a file, as it is stored and read.
    package static let partSize = 128 * 1_024
}

/// Which attachments of a content set are wanted.
package struct ContentAttachmentFilter: Hashable, Sendable {
    package var table: String?
    /// The key of a row.
    package var row: String?
    package var user: UserID?

    package init(table: String? = nil, row: String? = nil, user: UserID? = nil) {
        self.table = table
        self.row = row
        self.user = user
    }
}
