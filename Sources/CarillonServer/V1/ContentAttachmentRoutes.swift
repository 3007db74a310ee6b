import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// `/v1/content-sets/{set}/attachments`: files that people have attached to rows.
struct ContentAttachmentRoutes: Sendable {
    let attachments: ContentAttachments

    func declare(_ routes: inout Routes) {
        let path = "/v1/content-sets/{set}/attachments"
        routes.on(
            .get,
            path,
            .key(.read, app: .query),
            query: ["table", "row", "user", "cursor", "limit"],
            list
        )
        routes.on(.get, path + "/{attachment}", .key(.read, app: .query), get)
        routes.on(.delete, path + "/{attachment}", .key(.admin, app: .query), delete)
    }

    @Sendable private func list(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (query, set, app) = (call.query, try call[.contentSet], try call.app())
        // They say who has sent them.
        AuditNote.current?.require()
        let user = try query["user"].map { text throws in
            guard let user = UserID(rawValue: text) else {
                throw Problem.invalidField(FieldError(field: "user", problem: "must be a User's id"))
            }
            return user
        }
        for name in ["table", "row"] {
            guard query[name]?.utf8.contains(0) != true else {
                throw Problem.invalidField(FieldError(field: name, problem: "must have no NUL character"))
            }
        }
        let filter = ContentAttachmentFilter(table: query["table"], row: query["row"], user: user)
        let (cursor, limit) = (try query.cursor(ContentAttachmentID.self), try query.limit())
        return try Response(
            try await contentAnswer(
                try await attachments.list(of: set, app: app, filter, before: cursor, limit: limit)
            )
        )
    }

    @Sendable private func get(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (set, id, app) = (try call[.contentSet], try call[.contentAttachment], try call.app())
        AuditNote.current?.require()
        let found = try await contentAnswer(try await attachments.attachment(id, of: set, app: app))
        return try await found.file(attachments)
    }

    @Sendable private func delete(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (set, id, app) = (try call[.contentSet], try call[.contentAttachment], try call.app())
        try await contentAnswer(try await attachments.delete(id, of: set, app: app))
        return .noContent
    }
}

extension ContentAttachment {
    /// The answer with the attachment's file, a part of which is in memory at a time.
    ///
    /// A browser shows images and nothing else, and no script of a file runs.
    func file(_ attachments: ContentAttachments) async throws -> Response {
        // One that is gone meanwhile is not found.
        guard let first = try await contentAnswer(try await attachments.part(0, of: self)) else {
            throw EngineError.notFound(.contentAttachment)
        }
        var headers = HTTPFields()
        headers[.contentType] = mediaType
        headers[.contentDisposition] = disposition
        // Beside the policy of every answer.
        headers[.contentSecurityPolicy] = "sandbox"
        let (size, step) = (size, ContentAttachmentLimits.partSize)
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody(contentLength: size) { writer in
                try await writer.write(ByteBuffer(bytes: first))
                for number in 1..<max(1, (size + step - 1) / step) {
                    // Without the rest the connection ends, and the client knows that the file is not whole.
                    guard let part = try await attachments.part(number, of: self) else { throw CancellationError() }
                    try await writer.write(ByteBuffer(bytes: part))
                }
                try await writer.finish(nil)
            }
        )
    }

    /// `Content-Disposition` (RFC 6266), with the name in ASCII and, where it has other characters, in UTF-8 (RFC 8187).
    private var disposition: String {
        let kind = mediaType.hasPrefix("image/") ? "inline" : "attachment"
        let ascii = String(
            name.map { $0.isASCII && $0 != "\"" && $0 != "\\" && $0 != "%" && !$0.isNewline ? $0 : "_" }
        )
        let plain = "\(kind); filename=\"\(ascii)\""
        guard ascii != name else { return plain }
        let allowed = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`|~"
        )
        return plain + "; filename*=UTF-8''" + (name.addingPercentEncoding(withAllowedCharacters: allowed) ?? "file")
    }
}
