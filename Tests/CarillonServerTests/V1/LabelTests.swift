import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonServer
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// Tags, attributes, categories and places over HTTP.
struct LabelTests {
    private static let device = "/v1/devices/3f2504e0-4f89-41d3-9a0c-0305e82c3301"

    private func register(_ server: TestServer, _ app: AppSecrets, _ user: String? = "u-1") async throws {
        let name = user.map { ",\"user\":\"\($0)\"" } ?? ""
        let body = "{\"consent\":{\"notifications\":true}\(name)}"
        let answer = try await server.send(.put, Self.device, body, headers: server.device(app))
        #expect(answer.status.code < 300)
    }

    private func makeTag(
        _ server: TestServer,
        _ app: AppSecrets,
        _ name: String
    ) async throws -> CarillonOperatorModel.Tag {
        let path = "/v1/tags?app=\(app.app.id)"
        let answer = try await server.send(.post, path, "{\"name\":\"\(name)\"}", key: server.serverKey)
        let tag = try answer.decoded(CarillonOperatorModel.Tag.self)
        #expect(answer.status == .created && answer.headers[.location] == "/v1/tags/\(tag.id)?app=\(app.app.id)")
        return tag
    }

    // MARK: Tags

    @Test("T-29 An operator creates, lists and deletes tags")
    func operatesTags() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let path = "/v1/tags?app=\(app.app.id)"
            let reader = try await server.makeKey(app.app.id, .read)
            let tags = [try await makeTag(server, app, "sports"), try await makeTag(server, app, "music")]

            let page = try await server.send(.get, path + "&limit=1", key: reader).decoded(
                Page<CarillonOperatorModel.Tag>.self
            )
            let cursor = try #require(page.nextCursor)
            let rest = try await server.send(.get, path + "&cursor=\(cursor)", key: reader)
                .decoded(Page<CarillonOperatorModel.Tag>.self)
            #expect(page.items + rest.items == tags.sorted { $0.id < $1.id })
            #expect(try await server.send(.get, path + "&cursor=x", key: reader).field == "cursor")

            #expect(try await server.send(.post, path, #"{"name":"x"}"#, key: reader).problem == "missing-scope")
            #expect(try await server.send(.delete, "/v1/tags/\(tags[0].id)", key: reader).problem == "missing-scope")
            let wrong = try await server.send(.post, path, #"{"name":"a b"}"#, key: server.serverKey)
            #expect(wrong.problem == "invalid-field" && wrong.field == "name")
            let gone = "/v1/tags/\(tags[0].id)?app=\(app.app.id)"
            #expect(try await server.send(.delete, gone, key: server.serverKey).status == .noContent)
            #expect(try await server.send(.delete, gone, key: server.serverKey).problem == "unknown-tag")
            #expect(
                try await server.send(.delete, "/v1/tags/x?app=\(app.app.id)", key: server.serverKey).problem
                    == "unknown-tag"
            )
        }
    }

    @Test("A tag is created once for an Idempotency-Key")
    func repeatsTags() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let path = "/v1/tags?app=\(app.app.id)"
            let headers = ["Idempotency-Key": "sports"]
            let first = try await server.send(.post, path, #"{"name":"s"}"#, key: server.serverKey, headers: headers)
            let again = try await server.send(.post, path, #"{"name":"s"}"#, key: server.serverKey, headers: headers)

            #expect(try first.decoded(CarillonOperatorModel.Tag.self) == again.decoded(CarillonOperatorModel.Tag.self))
            let page = try await server.send(.get, path, key: server.serverKey).decoded(
                Page<CarillonOperatorModel.Tag>.self
            )
            #expect(page.items.count == 1)
        }
    }

    @Test("T-122 A Device adds, sets, gets and removes its User's tags, and gets the result")
    func changesTags() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            try await register(server, app)
            let (a, b) = (try await makeTag(server, app, "a").id, try await makeTag(server, app, "b").id)
            let path = Self.device + "/tags"
            func send(_ method: HTTPRequest.Method, _ query: String = "", _ body: String? = nil) async throws -> TagSet
            {
                try await server.send(method, path + query, body, headers: server.device(app)).decoded()
            }

            #expect(try await send(.get) == TagSet(tags: []))
            #expect(try await send(.post, "", "{\"tags\":[\"\(a)\"]}") == TagSet(tags: [a]))
            #expect(try await send(.post, "", "{\"tags\":[\"\(b)\"]}") == TagSet(tags: [a, b]))
            #expect(try await send(.put, "", "{\"tags\":[\"\(b)\"]}") == TagSet(tags: [b]))
            #expect(try await send(.delete, "?tags=\(a),\(b)") == TagSet(tags: []))
            #expect(try await send(.put, "", "{\"tags\":[\"\(a)\",\"\(b)\"]}") == TagSet(tags: [a, b]))
            #expect(try await send(.delete, "?tags=\(b)%2C\(a)") == TagSet(tags: []))
            #expect(try await send(.put, "", "{\"tags\":[\"\(a)\",\"\(b)\"]}") == TagSet(tags: [a, b]))
            #expect(try await send(.delete) == TagSet(tags: []))
            #expect(try await send(.get) == TagSet(tags: []))
        }
    }

    @Test("T-124 Tags and attributes need a User")
    func needsUser() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            try await register(server, app, nil)
            for (method, path, body) in [
                (.get, "/tags", nil), (.post, "/tags", #"{"tags":[]}"#), (.delete, "/tags", nil),
                (.get, "/attributes", nil), (.patch, "/attributes", #"{"attributes":{}}"#),
            ] as [(HTTPRequest.Method, String, String?)] {
                let answer = try await server.send(method, Self.device + path, body, headers: server.device(app))
                #expect(answer.problem == "user-required" && answer.status == .conflict, "\(method) \(path)")
            }
        }
    }

    @Test("A malformed tag, and one too many, are refused by field")
    func refusesTags() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            try await register(server, app)
            let path = Self.device + "/tags"
            let many = (0..<17).map { "\"tag000\(10 + $0)\"" }.joined(separator: ",")

            let unknown = try await server.send(.put, path, #"{"tags":["ZZPP00b6"]}"#, headers: server.device(app))
            #expect(unknown.problem == "unknown-tag" && unknown.status == .unprocessableContent)
            #expect(unknown.field == "tags")
            let tooMany = try await server.send(.post, path, "{\"tags\":[\(many)]}", headers: server.device(app))
            #expect(tooMany.problem == "invalid-field" && tooMany.field == "tags")
            let name = try await server.send(.post, path, #"{"tags":["sports"]}"#, headers: server.device(app))
            #expect(name.field == "tags.0")
            for query in ["?tags=", "?tags=sports", "?tags=ZZPP00b6,", "?tags=\(many.filter { $0 != "\"" })"] {
                let answer = try await server.send(.delete, path + query, headers: server.device(app))
                #expect(answer.field == "tags", "\(query)")
            }
            #expect(try await server.send(.delete, path + "?tag=x", headers: server.device(app)).field == "tag")
        }
    }

    // MARK: Attributes

    @Test("S1-operators-5 A back end sets and removes a User's attributes")
    func attributesOfUser() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp().app.id
            let admin = try await server.makeKey(app, .admin)
            let reader = try await server.makeKey(app, .read)
            let path = "/v1/users/u-1/attributes"
            let first = #"{"attributes":{"plan":"gold","points":120,"trial":true}}"#
            #expect(try await server.send(.patch, path, first, key: reader).status == .forbidden)
            #expect(try await server.send(.patch, path, first, key: admin).status == .ok)
            let changed = try await server.send(.patch, path, #"{"attributes":{"trial":null}}"#, key: admin)
            let expected: [String: JSONValue] = ["plan": .string("gold"), "points": .integer(120)]
            #expect(try changed.decoded(UserAttributes.self).attributes == expected)
            let got = try await server.send(.get, path, key: reader)
            #expect(try got.decoded(UserAttributes.self).attributes == expected)
            let wrong = try await server.send(.patch, path, #"{"attributes":{"plan":["a"]}}"#, key: admin)
            #expect(wrong.problem == "invalid-field" && wrong.field == "attributes.plan")

            let other = try await server.makeKey(try await server.makeApp().app.id, .admin, .read)
            let theirs = try await server.send(.get, path, key: other)
            #expect(try theirs.decoded(UserAttributes.self).attributes.isEmpty)
            let crossed = try await server.send(.get, path + "?app=\(app)", key: other)
            #expect(crossed.status == .notFound)
            let unknown = try await server.send(.get, path + "?app=app_000000000000", key: server.serverKey)
            #expect(unknown.status == .notFound)
        }
    }

    @Test("A Device sets and removes its User's attributes")
    func changesAttributes() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            try await register(server, app)
            let path = Self.device + "/attributes"
            let first = #"{"attributes":{"plan":"gold","age":42,"share":0.5,"member":true}}"#

            let told = try await server.send(.patch, path, first, headers: server.device(app))
            let changed = try await server.send(
                .patch,
                path,
                #"{"attributes":{"plan":null,"age":43}}"#,
                headers: server.device(app)
            )

            #expect(try told.decoded(UserAttributes.self).attributes.count == 4)
            let expected: [String: JSONValue] = ["age": .integer(43), "share": .number(0.5), "member": .bool(true)]
            #expect(try changed.decoded(UserAttributes.self).attributes == expected)
            let got = try await server.send(.get, path, headers: server.device(app))
            #expect(try got.decoded(UserAttributes.self).attributes == expected)
            let wrong = try await server.send(
                .patch,
                path,
                #"{"attributes":{"plan":["a"]}}"#,
                headers: server.device(app)
            )
            #expect(wrong.problem == "invalid-field" && wrong.field == "attributes.plan")
        }
    }

    // MARK: Registration

    @Test("C-15 A registration sets categories and location, and the next one replaces them")
    func registersLabels() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let body = """
                {"consent":{"notifications":true},"categories":{"1":["関東"]},
                 "location":{"latitude":35.5,"longitude":139.25,"at":"2026-11-21T08:44:00.000Z"}}
                """
            let first = try await server.send(.put, Self.device, body, headers: server.device(app))
                .decoded(DeviceRecord.self)
            #expect(first.categories == .dimensions(["1": ["関東"]]))
            #expect(first.location?.longitude == 139.25)
            #expect(first.consentTimes == ConsentTimes(notifications: server.clock.now()))

            let update = #"{"location":null,"categories":["2"]}"#
            let second = try await server.send(.patch, Self.device, update, headers: server.device(app))
                .decoded(DeviceRecord.self)
            #expect(second.location == nil && second.categories == .list(["2"]))

            try await register(server, app)
            let last = try await server.send(.get, Self.device, headers: server.device(app)).decoded(DeviceRecord.self)
            #expect(last.categories == .standard)
        }
    }

    @Test(
        "A label out of its range is named",
        arguments: [
            (#""categories":[""]"#, "categories.0"), (#""categories":{"a":["b",""]}"#, "categories.a.1"),
            (#""location":{"latitude":91,"longitude":0,"at":"2026-11-21T08:44:00Z"}"#, "location.latitude"),
            (#""location":{"latitude":1,"longitude":0}"#, "location.at"), (#""pushType":"apns_voip""#, "pushType"),
        ]
    )
    func namesField(_ field: String, _ name: String) async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            for (method, body) in [(.put, "{\"consent\":{\"notifications\":true},\(field)}"), (.patch, "{\(field)}")]
                as [(HTTPRequest.Method, String)]
            {
                let answer = try await server.send(method, Self.device, body, headers: server.device(app))
                #expect(answer.problem == "invalid-field" && answer.field == name, "\(method)")
            }
        }
    }
}
