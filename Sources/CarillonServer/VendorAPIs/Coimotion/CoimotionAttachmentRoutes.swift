import CarillonAccountModel
import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// Files that people attach to rows: `attach` of each resource, and `cms/att/node`.
struct CoimotionAttachmentRoutes: Sendable {
    /// A resource to whose rows files are attached.
    private struct Resource: Sendable {
        let repository: String
        let name: String
        let table: String
        /// The field that the id in the path is of; `nil` for the key.
        var field: String?

        static let all = [
            Resource(repository: "twShow", name: "show", table: "events", field: "event"),
            Resource(repository: "twCtBus", name: "busStop", table: "stops"),
            Resource(repository: "twCtBus", name: "busRoute", table: "routes"),
            Resource(repository: "cms", name: "page", table: "page"),
            Resource(repository: "cms", name: "geoLoc", table: "geoLoc"),
        ]

        var path: String { CoimotionPath.root + "\(repository)/\(name)/attach/{id}" }

        func set(_ sets: CoimotionSettings.ContentSets) -> String? {
            switch repository {
            case "twShow": sets.twShow
            case "twCtBus": sets.twCtBus
            default: sets.cms
            }
        }
    }

    let content: CoimotionContent
    let attachments: ContentAttachments
    let accounts: Accounts
    let access: CoimotionAccess

    func declare(_ routes: inout Routes) {
        // One for all, since it bounds how many are read at a time.
        let uploading = CoimotionUploadAccess(access: access)
        for resource in Resource.all {
            routes.on(.post, resource.path, uploading) { upload in try await attach(upload, to: resource) }
        }
        let node = CoimotionPath.root + "cms/att/node/{id}"
        routes.on(.get, node, access.readingByToken, answersHead: false, download)
    }

    private func attach(_ upload: CoimotionUpload, to resource: Resource) async throws -> Response {
        let call = upload.call
        let session = try await call.session(accounts)
        guard let person = session.person, !person.account.isGuest else {
            throw CoimotionFailure.accessDenied(token: session.token)
        }
        guard let kind = try call.parameters.integer("nType", ContentAttachmentLimits.kinds) else {
            throw CoimotionFailure.wrong("nType", "is required")
        }
        let title = try call.parameters.text("title")
        let set = try await content.set(resource.set(call.settings.contentSets), resource.repository, call)
        let place = ContentAttachments.Place(
            app: call.app,
            set: set.name,
            table: resource.table,
            row: try await row(of: resource, in: set, call),
            user: person.account.user
        )
        let saved: [ContentAttachment]
        do throws(ContentSetError) {
            saved = try await attachments.attach(upload.files, kind: kind, title: title, to: place)
        } catch {
            throw CoimotionFailure(attaching: error)
        }
        let list = saved.map { JSONValue.object($0.node) }
        return try CoimotionAnswer.success(["list": .array(list)], token: session.token)
    }

    /// The key of the row that the id in the path leads to.
    private func row(of resource: Resource, in set: CoimotionSet, _ call: CoimotionCall) async throws -> String {
        guard let field = resource.field else { return call.id }
        guard (1...ContentValue.maximumTermSize).contains(call.id.utf8.count) else {
            throw CoimotionFailure.noSuchEntity
        }
        var query = ContentQuery()
        query.equalities = [.init(field: field, values: [call.id])]
        let found = try await content.allRows(query, resource.table, of: set, call, atMost: 1)
        guard let key = set.table(resource.table)?.key, let row = found.first?.string(key) else {
            throw CoimotionFailure.noSuchEntity
        }
        return row
    }

    @Sendable private func download(_ call: CoimotionCall) async throws -> Response {
        if !call.hasKey {
            let session = try await call.session(accounts)
            guard session.person != nil else { throw CoimotionFailure.accessDenied(token: session.token) }
        }
        guard let id = ContentAttachmentID(call.id) else { throw CoimotionFailure.noSuchEntity }
        let found: ContentAttachment
        do throws(ContentSetError) {
            found = try await attachments.attachment(id, app: call.app)
        } catch {
            throw CoimotionFailure(attaching: error)
        }
        // Of the App's other content sets its apps of COIMOTION know nothing.
        guard call.settings.contentSets.contains(found.set) else { throw CoimotionFailure.noSuchEntity }
        if let path = try call.parameters.text("path"), path.drop(while: { $0 == "/" }) != found.name {
            throw CoimotionFailure.noSuchEntity
        }
        return try await found.file(attachments)
    }
}

extension ContentAttachment {
    /// What the answer says of it; with `ngID` and `path` it is downloaded.
    fileprivate var node: [String: JSONValue] {
        [
            "ngID": .string(id.description), "path": .string(name), "nType": .integer(Int64(kind)),
            "title": .string(title ?? ""), "type": .string(mediaType), "size": .integer(Int64(size)),
        ]
    }
}

extension CoimotionFailure {
    /// Nobody is signed in; an empty token of the answer says that the call's is invalid.
    fileprivate static func accessDenied(token: String?) -> Self {
        Self(Code.accessDenied, 401, "Somebody has to be signed in with an account.", token: token == "" ? "" : nil)
    }

    fileprivate init(attaching error: ContentSetError) {
        switch error {
        case .noAttachments: self.init(Code.noPermission, 403, "No files can be attached here.")
        case .tooMany, .conflict: self.init(Code.full, 409, CoimotionFailure(any: EngineError(error)).message)
        default: self.init(any: EngineError(error))
        }
    }
}
