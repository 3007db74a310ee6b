import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird

/// Tags and their uids: E19 through E26 of the vendor's documentation.
struct ToastTagRoutes: Sendable {
    /// uids of one call.
    static let usersAtOnce = 16

    let tags: Tags
    let users: Users
    let devices: Devices
    let keyed: ToastAccess

    func declare(_ routes: inout Routes) {
        let path = ToastPath.base + "/tags"
        routes.on(.post, path, keyed, create)
        routes.on(.get, path, keyed, answersHead: false, list)
        routes.on(.get, path + "/{tag}", keyed, answersHead: false, show)
        routes.on(.put, path + "/{tag}", keyed, rename)
        routes.on(.delete, path + "/{tag}", keyed, delete)
        routes.on(.post, path + "/{tag}/uids", keyed, addUsers)
        routes.on(.get, path + "/{tag}/uids", keyed, answersHead: false, recorded: .all, listUsers)
        routes.on(.delete, path + "/{tag}/uids", keyed, removeUsers)
    }

    // MARK: E19 through E23

    @Sendable private func create(_ call: ToastCall) async throws -> Response {
        let name = try Self.name(try await call.fields())
        do {
            let tag = try await tags.create(app: call.app, TagRequest(name: name), by: CampaignCaller.toast.author)
            return try ToastAnswer.success(["tag": .object(["tagId": .string(tag.id.rawValue)])])
        } catch EngineError.conflict {
            throw try await conflict(name, call)
        }
    }

    @Sendable private func list(_ call: ToastCall) async throws -> Response {
        var found: [Tag] = []
        var last: TagID?
        repeat {
            let page = try await tags.list(app: call.app, named: call.values["tagName"], after: last, limit: 1_000)
            found += page.items
            last = page.nextCursor.flatMap { TagID(rawValue: $0) }
        } while last != nil
        found.sort { ($1.createdAt, $1.id) < ($0.createdAt, $0.id) }
        return try ToastAnswer.success(["tags": .array(found.map(\.toast))])
    }

    @Sendable private func show(_ call: ToastCall) async throws -> Response {
        let tag = try call.tag()
        return try await ToastFailure.naming("tagId", tag.rawValue) {
            try ToastAnswer.success(["tag": try await tags.tag(app: call.app, tag).toast])
        }
    }

    @Sendable private func rename(_ call: ToastCall) async throws -> Response {
        let tag = try call.tag()
        let name = try Self.name(try await call.fields())
        return try await ToastFailure.naming("tagId", tag.rawValue) {
            do {
                _ = try await tags.rename(app: call.app, tag, TagRequest(name: name))
            } catch EngineError.conflict {
                throw ToastFailure(.registered, "tagName", name)
            }
            return try ToastAnswer.success()
        }
    }

    @Sendable private func delete(_ call: ToastCall) async throws -> Response {
        let tag = try call.tag()
        try await ToastFailure.naming("tagId", tag.rawValue) {
            // The vendor deletes tags whatever names them.
            try await tags.delete(app: call.app, tag, evenIfUsed: true)
        }
        return try ToastAnswer.success()
    }

    private static func name(_ fields: ToastFields) throws -> String {
        let name = try fields.required("tagName", 255)
        guard !name.contains(where: \.isWhitespace) else {
            throw fields.failure(.invalid, "tagName", problem: "it has no white space")
        }
        return name
    }

    /// Why a tag cannot be created: another one has its name, or there are too many.
    private func conflict(_ name: String, _ call: ToastCall) async throws -> ToastFailure {
        let known = try await tags.list(app: call.app, named: name, after: nil, limit: 1)
        return known.items.isEmpty
            ? ToastFailure(.maximumExceeded, "tagName", name) : ToastFailure(.registered, "tagName", name)
    }

    // MARK: E24, E25, E26

    @Sendable private func addUsers(_ call: ToastCall) async throws -> Response {
        let tag = try call.tag()
        let listed = try await call.fields().texts("uids") ?? []
        let wanted = try ToastFields.users(listed, "uids", atMost: Self.usersAtOnce)
        try await change(.add([tag]), of: wanted, tag, call)
        return try ToastAnswer.success()
    }

    @Sendable private func removeUsers(_ call: ToastCall) async throws -> Response {
        let tag = try call.tag()
        let wanted = try ToastFields.users(call.values.list("uids"), "uids", atMost: Self.usersAtOnce)
        try await change(.remove([tag]), of: wanted, tag, call)
        return try ToastAnswer.success()
    }

    private func change(_ change: TagChange, of users: [UserID], _ tag: TagID, _ call: ToastCall) async throws {
        try await ToastFailure.naming("tagId", tag.rawValue) {
            _ = try await tags.tag(app: call.app, tag)
            _ = try await tags.changing("uids") { try await tags.apply(change, to: users, app: call.app) }
        }
    }

    @Sendable private func listUsers(_ call: ToastCall) async throws -> Response {
        let tag = try call.tag()
        let limit = try call.values.number("limit", 100, 1...100)
        var position: TagUserPosition?
        if let text = call.values["offsetUid"] {
            let user = try ToastFields.user(text, "offsetUid")
            let first = try await devices.firstNumber(of: user, app: call.app)
            position = first.map(TagUserPosition.device) ?? .user(user)
        }
        let page = try await ToastFailure.naming("tagId", tag.rawValue) {
            try await tags.users(of: tag, app: call.app, after: position, limit: limit)
        }
        var records: [JSONValue] = []
        for user in page.items { records.append(try await users.toast(user, app: call.app)) }
        return try ToastAnswer.success(["uids": .array(records)])
    }
}

extension Tags {
    /// Runs a change of Users' tags.
    ///
    /// - Throws: A failure in the vendor's words when a User would have too many.
    func changing<Value>(_ field: String, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch EngineError.invalid {
            throw ToastFailure(.maximumExceeded, field, problem: "a uid has at most \(TagSet.maximumCount) tags")
        } catch EngineError.conflict {
            throw ToastFailure(.maximumExceeded, field, problem: "the uid has too many devices")
        }
    }
}

extension Users {
    /// A User as the vendor shows it, with tags and contacts; one without either when it is unknown.
    func toast(_ user: UserID, app: AppID) async throws -> JSONValue {
        var record = UserRecord(user: user, tags: [], attributes: [:], contacts: [])
        do {
            record = try await self.user(user, app: app, showsTokens: true)
        } catch {
            guard error == .notFound(.user) else { throw error }
        }
        let contacts = record.contacts.filter { $0.tokenState == .active || $0.tokenState == .expired }
        return .object([
            "uid": .string(user.rawValue), "tags": .array(record.tags.map(\.toast)),
            "contacts": .array(contacts.map(\.toast)),
        ])
    }
}

extension Tag {
    var toast: JSONValue {
        .object([
            "tagId": .string(id.rawValue), "tagName": .string(name), "createdDateTime": ToastDate.text(createdAt),
            "updatedDateTime": ToastDate.text(updatedAt),
        ])
    }
}

extension UserContact {
    fileprivate var toast: JSONValue {
        .object([
            "contactType": .string("TOKEN_" + ToastPushType.word(pushType)),
            "contact": .text(token.map { ToastToken($0, tenant: tenant).text }),
            "createdDateTime": ToastDate.text(createdAt),
        ])
    }
}
