import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import CarillonServer

/// `attach` and `cms/att/node`: files that people attach to rows.
struct CoimotionAttachmentTests {
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Array("pixels\r\n--b".utf8)
    private static let path = "twShow/show/attach/" + CoimotionFixtures.spring

    /// Runs a test with events that take files, and somebody who is signed in.
    private func run(_ test: @Sendable (CoimotionClient, String) async throws -> Void) async throws {
        let settings = CoimotionSettings(
            code: CoimotionClient.code,
            contentSets: .init(twShow: "events", twCtBus: "buses", cms: "pages")
        )
        try await CoimotionClient.run(settings) { client async throws in
            try await client.importEvents()
            try await client.takeAttachments("events")
            try await test(client, try await client.signUp())
        }
    }

    private func upload(
        _ client: CoimotionClient,
        _ texts: [(String, String)],
        _ files: [(field: String, name: String, bytes: [UInt8])],
        to path: String = Self.path
    ) async throws -> CoimotionReply {
        var body = ByteBuffer()
        for (name, text) in texts {
            body.writeString("--b1\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n")
        }
        for file in files {
            let names = "name=\"\(file.field)\"; filename=\"\(file.name)\""
            body.writeString("--b1\r\nContent-Disposition: form-data; \(names)\r\n")
            body.writeString("Content-Type: text/html\r\n\r\n")
            body.writeBytes(file.bytes)
            body.writeString("\r\n")
        }
        body.writeString("--b1--\r\n")
        return try await client.post(path, form: body, boundary: "b1")
    }

    private func node(_ reply: CoimotionReply, _ place: Int = 0) throws -> String {
        try #require(reply.list?[place]["ngID"]?.string)
    }

    @Test("M-88 A form with the token and without the app key attaches files, which are downloaded as they were")
    func wholeWay() async throws {
        try await run { client, token in
            let reply = try await upload(
                client,
                [("token", token), ("nType", "3"), ("title", "舞台")],
                [("att0", "stage.png", Self.png), ("att1", "照片 1.txt", Array("text".utf8))]
            )
            #expect(reply.code == 0 && reply.token == nil, "\(reply.body)")
            let first = try #require(reply.list?.first?.object)
            #expect(first["path"] == "stage.png" && first["nType"] == 3 && first["title"] == "舞台")
            #expect(first["type"] == "image/png" && first["size"] == .integer(Int64(Self.png.count)))

            let image = try await client.server.send(.get, "/demoApp/cms/att/node/\(try node(reply))?token=\(token)")
            #expect(image.status == .ok && Array(image.body.readableBytesView) == Self.png)
            #expect(image.headers[.contentType] == "image/png")
            #expect(image.headers[.contentDisposition] == "inline; filename=\"stage.png\"")
            let key = "_key=\(CoimotionClient.key)&path=stage.png&maxw=100"
            let again = try await client.server.send(.get, "/demoApp/cms/att/node/\(try node(reply))?\(key)")
            #expect(Array(again.body.readableBytesView) == Self.png)

            let text = try await client.server.send(.get, "/demoApp/cms/att/node/\(try node(reply, 1))?token=\(token)")
            #expect(text.headers[.contentType] == "application/octet-stream")
            let disposition = try #require(text.headers[.contentDisposition])
            #expect(disposition.hasPrefix("attachment; filename=\""))
            #expect(disposition.hasSuffix("; filename*=UTF-8''%E7%85%A7%E7%89%87%201.txt"))
            #expect(text.headers[.xContentTypeOptions] == "nosniff")
            let policy = try #require(text.headers[.contentSecurityPolicy])
            #expect(policy.contains("sandbox") && policy.contains("default-src 'none'"))
        }
    }

    @Test("M-88 Without a token there is nobody to attach, with the app key or without; an invalid token is said so")
    func credentials() async throws {
        try await run { client, token in
            let file = [(field: "att0", name: "a.png", bytes: Self.png)]
            let kind = ("nType", "3")
            #expect(try await upload(client, [kind], file).code == -20)
            #expect(try await upload(client, [kind, ("token", "N/A")], file).code == -20)
            #expect(try await upload(client, [kind, ("_key", CoimotionClient.key)], file).code == -1_000)
            let wrong = "f700e0396cd48298c0b314592490bbce"
            for texts in [[kind, ("token", wrong)], [kind, ("token", wrong), ("_key", CoimotionClient.key)]] {
                let reply = try await upload(client, texts, file)
                #expect(reply.code == -1_000 && reply.token == "")
            }
            #expect(try await upload(client, [kind, ("token", token), ("_key", "wrong-key")], file).code == -20)
            let saved = try await upload(client, [kind, ("token", token), ("_key", CoimotionClient.key)], file)
            #expect(saved.code == 0)
            let node = "cms/att/node/" + (try node(saved))
            #expect(try await client.get(node, key: nil).code == -20)
            #expect(try await client.get(node, "token=" + wrong, key: nil).code == -1_000)
            #expect(try await client.get(node, key: "wrong-key-of-the-app").code == -20)
            #expect(try await client.get(node, "path=other.png").code == 1)
            #expect(try await client.get("cms/att/node/att_000000000001").code == 1)
            #expect(try await client.get("cms/att/node/x").code == 1)
        }
    }

    @Test("A wrong key in the query is refused before the form is read") func wrongQuery() async throws {
        try await run { client, token in
            let texts = [("token", token), ("_key", CoimotionClient.key), ("nType", "3")]
            let file = [(field: "att0", name: "a.png", bytes: Self.png)]
            let refused = try await upload(client, texts, file, to: "\(Self.path)?_key=wrong-key")
            #expect(refused.code == -20)
            let taken = try await upload(client, texts, file, to: "\(Self.path)?_key=\(CoimotionClient.key)")
            #expect(taken.code == 0)
        }
    }

    @Test("M-88 Files are three at most with 1,000,000 bytes together, each in a field of its own; nType is 1 to 5")
    func limits() async throws {
        try await run { client, token in
            let texts = [("token", token), ("nType", "5")]
            func code(_ files: [(field: String, name: String, bytes: [UInt8])]) async throws -> Int64? {
                try await upload(client, texts, files).code
            }
            let half = [UInt8](repeating: 1, count: 500_000)
            #expect(try await code([("att0", "a", half), ("att1", "b", half)]) == 0)
            #expect(try await code([("att0", "a", half), ("att1", "b", half), ("att2", "c", [1])]) == 2)
            #expect(try await code([("att0", "a", half + half + half)]) == -16)
            #expect(try await code([]) == 2)
            #expect(try await code([("att0", "", [])]) == 2)
            #expect(try await code([("att0", "a", [])]) == 2)
            #expect(try await code([("att0", "a", [1]), ("att0", "b", [1])]) == 2)
            #expect(try await code([("att3", "a", [1])]) == 2)
            for kind in ["", "0", "6", "x"] {
                let reply = try await upload(client, [("token", token), ("nType", kind)], [("att0", "a", [1])])
                #expect(reply.code == 2, "\(kind)")
            }
            // The SDKs disagree on 4 and 5, so the number is stored as it came.
            for kind in 1...5 {
                let texts = [("token", token), ("nType", "\(kind)")]
                let reply = try await upload(client, texts, [("att1", "a", [1])])
                #expect(reply.list?.first?["nType"] == .integer(Int64(kind)))
            }
            let title = String(repeating: "x", count: 201)
            #expect(try await upload(client, texts + [("title", title)], [("att0", "a", [1])]).code == 2)
            let broken = try await client.post(Self.path, form: ByteBuffer(string: "--b1\r\nX"), boundary: "b1")
            #expect(broken.code == -16)
        }
    }

    @Test("M-88 A file may come as dataURI in JSON")
    func dataURI() async throws {
        try await run { client, token in
            let data = Data(Self.png).base64EncodedString()
            var parameters: [String: JSONValue] = ["nType": 3, "dataURI": .string("data:image/png;base64," + data)]
            let reply = try await client.post(Self.path, parameters, token: token)
            #expect(reply.list?.first?["type"] == "image/png" && reply.list?.first?["path"] == "file")
            #expect(try await client.post(Self.path, parameters, token: token, key: nil).code == 0)
            #expect(try await client.post(Self.path, parameters).code == -1_000)
            for wrong in ["", "data:,x", "data:image/png;base64,!", "https://example.com/a.png"] {
                parameters["dataURI"] = .string(wrong)
                #expect(try await client.post(Self.path, parameters, token: token).code == 2, "\(wrong)")
            }
        }
    }

    @Test("M-88 Files are for rows that are there, of repositories that the App references and tables that take them")
    func places() async throws {
        try await run { client, token in
            func code(_ path: String) async throws -> Int64? {
                try await upload(client, [("token", token), ("nType", "2")], [("att0", "a", [1])], to: path).code
            }
            #expect(try await code("twShow/show/attach/unknown") == 1)
            #expect(try await code("twShow/show/attach/" + String(repeating: "x", count: 201)) == 1)
            // The set has no such table yet; then it takes no files; then it does.
            #expect(try await code("twCtBus/busStop/attach/KHH1") == -10)
            try await client.importBuses()
            #expect(try await code("twCtBus/busStop/attach/KHH1") == -20)
            try await client.takeAttachments("buses")
            #expect(try await code("twCtBus/busStop/attach/KHH1") == 0)
            #expect(try await code("twCtBus/busRoute/attach/KHH88") == 0)
            #expect(try await code("twCtBus/busStop/attach/KHH9") == 1)
            try await client.makePages()
            #expect(try await code("cms/page/attach/p1") == 0)
            #expect(try await code("cms/geoLoc/attach/g1") == 0)
            #expect(try await code("cms/geoLoc/attach/p1") == 1)
        }
        try await CoimotionClient.run { client async throws in
            let token = try await client.signUp()
            let texts = [("token", token), ("nType", "2")]
            #expect(try await upload(client, texts, [("att0", "a", [1])], to: "cms/page/attach/p1").code == -10)
        }
    }

    @Test("M-88 Files of an account are bounded, and the answer says so with a code of its own")
    func bounds() async throws {
        try await run { client, token in
            let three = (0...2).map { (field: "att\($0)", name: "a", bytes: [1] as [UInt8]) }
            let texts = [("token", token), ("nType", "2")]
            for _ in 0..<33 { #expect(try await upload(client, texts, three).code == 0) }
            let full = try await upload(client, texts, three)
            #expect(full.code == 3 && full.message.contains("100"), "\(full.body)")
        }
    }

    @Test("M-88 Operators list, fetch and delete attachments; an erased User's are gone")
    func operators() async throws {
        try await run { client, token in
            let (server, app) = (client.server, client.app)
            let saved = try await upload(
                client,
                [("token", token), ("nType", "4"), ("title", "t")],
                [("att0", "a.png", Self.png), ("att2", "b", [1])]
            )
            let path = "/v1/content-sets/events/attachments"
            let key = try await server.makeKey(app, .read)
            let list: JSONValue = try await server.send(.get, path, key: key).decoded()
            let items = try #require(list["items"]?.array)
            #expect(items.map { $0["name"] } == ["b", "a.png"] && items[1]["mediaType"] == "image/png")
            #expect(items[1]["kind"] == 4 && items[1]["table"] == "events" && items[1]["title"] == "t")
            let user = try #require(items[0]["user"]?.string)
            #expect(items[1]["row"] == .string(CoimotionFixtures.spring + "-0"))
            let none: JSONValue = try await server.send(.get, path + "?user=nobody&table=x&row=y", key: key).decoded()
            #expect(none["items"]?.array == [])
            let page: JSONValue = try await server.send(.get, path + "?limit=1&user=\(user)", key: key).decoded()
            let cursor = try #require(page["nextCursor"]?.string)
            let next: JSONValue = try await server.send(.get, path + "?cursor=\(cursor)", key: key).decoded()
            #expect(next["items"]?.array?.map { $0["name"] } == ["a.png"])

            let file = try await server.send(.get, "\(path)/\(try node(saved))", key: key)
            #expect(file.status == .ok && Array(file.body.readableBytesView) == Self.png)
            #expect(file.headers[.contentType] == "image/png")
            #expect(try await server.send(.delete, "\(path)/\(try node(saved))", key: key).problem == "missing-scope")
            let deleting = "\(path)/\(try node(saved))?app=\(app)"
            #expect(try await server.send(.delete, deleting, key: server.serverKey).status == .noContent)
            let again = try await server.send(.delete, deleting, key: server.serverKey)
            #expect(again.problem == "unknown-content-attachment")
            #expect(try await client.get("cms/att/node/" + (try node(saved))).code == 1)

            let erased = try #require(UserID(rawValue: user))
            try await server.engine.registry.users.erase(erased, app: app)
            while try await server.engine.registry.users.continueErasures() {}
            let after: JSONValue = try await server.send(.get, path, key: key).decoded()
            #expect(after["items"]?.array == [])
        }
    }
}

extension CoimotionClient {
    /// Sends a form.
    fileprivate func post(_ path: String, form: ByteBuffer, boundary: String) async throws -> CoimotionReply {
        var fields = HTTPFields()
        fields[.contentType] = "multipart/form-data; boundary=" + boundary
        let answer = try await server.client.executeRequest(
            uri: "/\(Self.code)/\(path)",
            method: .post,
            headers: fields,
            body: form
        )
        #expect(answer.status == .ok && answer.headers[.contentType] == "application/json", "\(path)")
        return CoimotionReply(body: try answer.decoded(JSONValue.self), retryAfter: answer.headers[.retryAfter])
    }

    /// Lets all tables of a content set take files.
    func takeAttachments(_ name: String) async throws {
        var definition = try await server.content.sets.set(name, app: app).definition
        for place in definition.tables.indices { definition.tables[place].takesAttachments = true }
        _ = try await server.content.sets.put(name, definition, app: app)
    }

    /// Makes the content set of the module `cms`.
    fileprivate func makePages() async throws {
        let tables = ["page", "geoLoc"].map { name in
            var table = ContentTable(name, key: "id", [ContentField("id", .text)])
            table.takesAttachments = true
            return table
        }
        _ = try await server.content.sets.put("pages", ContentSetDefinition(title: "Pages", tables: tables), app: app)
        for (table, id) in [("page", "p1"), ("geoLoc", "g1")] {
            let file = Array("id\n\(id)\n".utf8)
            _ = try await server.content.sets.importFile(file, .csv, table: table, into: "pages", app: app)
        }
    }
}
