import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// Tags and uids through TOAST Push's API.
struct ToastTagTests {
    /// A list of texts as JSON.
    private func list(_ name: String, _ texts: [String]) -> String {
        "{\"\(name)\":[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]}"
    }

    private func tagIDs(_ client: ToastClient, _ uid: String) async throws -> Set<String> {
        let reply = try await client.send(.get, "uids/\(uid)/tag-ids", secret: nil)
        return Set((reply["tagIds"]?.array ?? []).compactMap(\.string))
    }

    @Test("T-29 a tag gets an id of eight characters; its name has at most 255 and no space")
    func creates() async throws {
        try await ToastClient.run { client async throws in
            let id = try await client.makeTag("news")
            #expect(id.wholeMatch(of: /[A-Za-z0-9]{8}/) != nil)
            let shown = try await client.send(.get, "tags/\(id)")
            #expect(shown["tag"]?["tagName"] == "news" && shown["tag"]?["tagId"] == .string(id))
            _ = try await client.makeTag(String(repeating: "n", count: 255))
            func code(_ name: String) async throws -> Int64? {
                try await client.send(.post, "tags", "{\"tagName\":\"\(name)\"}").code
            }
            #expect(try await code(String(repeating: "n", count: 256)) == 40001)
            #expect(try await code("two words") == 40001)
            #expect(try await code("") == 40003)
            #expect(try await code("news") == 40007)

            #expect(try await client.send(.put, "tags/\(id)", #"{"tagName":"sports"}"#).code == 0)
            #expect(try await client.send(.get, "tags/\(id)")["tag"]?["tagName"] == "sports")
            #expect(try await client.send(.delete, "tags/\(id)").code == 0)
            #expect(try await client.send(.get, "tags/\(id)").code == 40401)
        }
    }

    @Test("T-30 tag 2,049 is refused with 40008")
    func limit() async throws {
        try await ToastClient.run { client async throws in
            for number in 1...2_048 {
                _ = try await client.server.engine.tags.create(app: client.app, TagRequest(name: "t\(number)"))
            }
            let reply = try await client.send(.post, "tags", #"{"tagName":"one-more"}"#)
            #expect(reply.code == 40008 && reply.message.contains("tagName<one-more>"))
            #expect(try await client.send(.get, "tags")["tags"]?.array?.count == 2_048)
        }
    }

    @Test("T-31 uids are added to a tag, sixteen at once; a uid has at most sixteen tags")
    func attaches() async throws {
        try await ToastClient.run { client async throws in
            let tag = try await client.makeTag("news")
            let uids = (1...17).map { "u-\($0)" }
            let path = "tags/\(tag)/uids"
            #expect(try await client.send(.post, path, list("uids", uids)).code == 40008)
            #expect(try await client.send(.post, path, list("uids", Array(uids.prefix(16)))).code == 0)
            #expect(try await tagIDs(client, "u-16") == [tag])
            for number in 1...15 {
                let other = try await client.makeTag("t\(number)")
                #expect(try await client.send(.post, "tags/\(other)/uids", list("uids", ["u-1"])).code == 0)
            }
            let last = try await client.makeTag("last")
            #expect(try await client.send(.post, "tags/\(last)/uids", list("uids", ["u-1"])).code == 40008)
            #expect(try await tagIDs(client, "u-1").count == 16)
        }
    }

    @Test("T-32 POST uids and PUT replace, POST adds, DELETE removes only what it lists")
    func changes() async throws {
        try await ToastClient.run { client async throws in
            let (a, b, c) = (
                try await client.makeTag("a"), try await client.makeTag("b"), try await client.makeTag("c")
            )
            let path = "uids/u-1/tag-ids"
            #expect(try await client.send(.post, path, list("tagIds", [a]), secret: nil).code == 0)
            #expect(try await client.send(.post, path, list("tagIds", [b]), secret: nil).code == 0)
            #expect(try await tagIDs(client, "u-1") == [a, b])
            #expect(try await client.send(.put, path, list("tagIds", [b, c]), secret: nil).code == 0)
            #expect(try await tagIDs(client, "u-1") == [b, c])
            #expect(try await client.send(.delete, path + "?tagIds=\(c)", secret: nil).code == 0)
            #expect(try await tagIDs(client, "u-1") == [b])
            let body = "{\"uid\":\"u-1\",\"tagIds\":[\"\(a)\"]}"
            #expect(try await client.send(.post, "uids", body).code == 0)
            #expect(try await tagIDs(client, "u-1") == [a])
            #expect(try await client.send(.put, path, list("tagIds", []), secret: nil).code == 0)
            #expect(try await tagIDs(client, "u-1") == [])
            #expect(try await client.send(.post, path, list("tagIds", ["ZZPP00b6"]), secret: nil).code == 40401)
        }
    }

    @Test("T-33 removing a uid from a tag leaves its tokens; deleting the uid removes them")
    func removes() async throws {
        try await ToastClient.run { client async throws in
            let tag = try await client.makeTag("news")
            try await client.register(1, uid: "u-1")
            _ = try await client.send(.post, "tags/\(tag)/uids", list("uids", ["u-1"]))
            #expect(try await client.send(.delete, "tags/\(tag)/uids?uids=u-1").code == 0)
            #expect(try await tagIDs(client, "u-1") == [])
            #expect(try await client.token(1) != nil)

            let many = (1...17).map { "u-\($0)" }.joined(separator: ",")
            #expect(try await client.send(.delete, "uids?uids=" + many).code == 40008)
            #expect(try await client.send(.delete, "uids?uids=u-1,nobody").code == 0)
            #expect(try await client.token(1) == nil)
            #expect(try await client.send(.get, "uids/u-1").code == 40401)
            #expect(try await client.send(.delete, "uids?uids=nobody").code == 40401)
        }
    }

    @Test("T-34 tags are found by name, and a tag's uids go on after one")
    func lists() async throws {
        try await ToastClient.run { client async throws in
            let tag = try await client.makeTag("news")
            _ = try await client.makeTag("sports")
            let named = try await client.send(.get, "tags?tagName=news")
            #expect(named["tags"]?.array?.compactMap { $0["tagId"] } == [.string(tag)])
            for byte in 1...4 { try await client.register(byte, uid: "u-\(byte)") }
            let uids = ["u-1", "u-2", "u-3", "u-4", "tokenless"]
            _ = try await client.send(.post, "tags/\(tag)/uids", list("uids", uids))
            var found: [String] = []
            var query = "tags/\(tag)/uids?limit=2"
            while true {
                let page = try await client.send(.get, query)["uids"]?.array ?? []
                guard let last = page.last?["uid"]?.string else { break }
                found += page.compactMap { $0["uid"]?.string }
                query = "tags/\(tag)/uids?limit=2&offsetUid=\(last)"
            }
            #expect(found == uids)
        }
    }

    @Test("T-35 a uid has its tags and its contacts with their types")
    func contacts() async throws {
        try await ToastClient.run { client async throws in
            let tag = try await client.makeTag("news")
            try await client.register(1, uid: "u-1")
            try await client.register(2, uid: "u-1", ["pushType": "APNS_SANDBOX"])
            _ = try await client.send(.post, "tags/\(tag)/uids", list("uids", ["u-1"]))

            let uid = try #require(try await client.send(.get, "uids/u-1")["uid"])
            #expect(uid["uid"] == "u-1")
            #expect(uid["tags"]?.array?.compactMap { $0["tagName"] } == ["news"])
            let contacts = (uid["contacts"]?.array ?? []).sorted {
                $0["contact"]?.string ?? "" < $1["contact"]?.string ?? ""
            }
            #expect(contacts.compactMap { $0["contactType"] } == ["TOKEN_APNS", "TOKEN_APNS_SANDBOX"])
            #expect(contacts.compactMap { $0["contact"] } == [1, 2].map { .string(ToastClient.token($0)) })
        }
    }
}
