import CarillonModel
import CarillonOperatorModel
import Coim
import FacadeSupport
import Foundation
import HTTPTypes
import HummingbirdTesting
import Testing

@testable import CarillonServer

/// The facade `Coim` and the server, over a socket: what one sends is what the other takes.
struct CoimotionFacadeTests {
    @Test("M-104 The demo app's sequence through the facade: register, list, event, stops, routes, arrivals, log out")
    func wholeSequence() async throws {
        try await CoimotionClient.run(testing: .live) { client async throws in
            try await client.importEvents()
            try await client.importBuses()
            let phone = try CoimotionPhone(port: try #require(client.server.client.port))
            #expect(try await phone.send("core/user/profile").value?["isGuest"] == 1)
            let account = ["accName": "alice", "passwd": "correct horse", "passwd2": "correct horse"]
            // M-31: the answer is that of the activation.
            let registered = try await phone.call { coimSDK.register(withParameter: account, delegate: $0) }
            #expect(registered.code == 0 && registered.token?.isEmpty == false)
            #expect(try await phone.send("core/user/profile").value?["dspName"] == "alice")
            let login = try await phone.call {
                coimSDK.login(to: "core/user/login", withParameter: account, delegate: $0)
            }
            #expect(login.message == "Login Ok.")

            let events = try await phone.send("twShow/show/byCity/15", CoimotionFixtures.week)
            let event = try #require(events.texts("spID").first)
            let details = try await phone.send("twShow/show/info/" + event, ["detail": "1"])
            let session = try #require(details.value?["showInfo"]?.array?.first)
            let place = try ["lat": #require(session["latitude"]), "lng": #require(session["longitude"])]
            let stop = try #require(try await phone.send("twCtBus/busStop/search", place).texts("tsID").first)
            let routes = try await phone.send("twCtBus/busStop/routes/" + stop).texts("brID")
            let arrivals = try await phone.send("twCtBus/busRoute/next/" + (try #require(routes.last)))
            #expect(arrivals.list?.first?["arvTime"] == "16:50")

            let token = await phone.token
            #expect(try await phone.call { coimSDK.logout(from: "core/user/logout", delegate: $0) }.code == 0)
            #expect(await phone.token.isEmpty && !token.isEmpty)
            #expect(try await client.profile(token).token == "")
        }
    }

    @Test("M-36 The facade changes a password, and hears of a token that was ended elsewhere before the answer")
    func sessions() async throws {
        try await CoimotionClient.run(testing: .live) { client async throws in
            let phone = try CoimotionPhone(port: try #require(client.server.client.port))
            _ = try await client.signUp("小明", "密碼123密碼123")
            let account = ["accName": "小明", "passwd": "密碼123密碼123"]
            _ = try await phone.call { coimSDK.login(to: "core/user/login", withParameter: account, delegate: $0) }
            let change = ["oldPasswd": "密碼123密碼123", "passwd": "新的密碼456789", "passwd2": "新的密碼456789"]
            #expect(try await phone.call { coimSDK.updatePasswd(change, delegate: $0) }.code == 0)
            #expect(try await client.login("小明", "新的密碼456789").code == 0)

            _ = try await client.post("core/user/logout", token: await phone.token)
            let answer = try await phone.send("core/user/profile")
            #expect(answer.value?["isGuest"] == 1 && answer.token == "")
            #expect(await phone.token.isEmpty)
        }
    }

    @Test("M-87 M-88 The facade's form of files is taken with the token alone, and its dataURI too")
    func attaches() async throws {
        let settings = CoimotionSettings(code: CoimotionClient.code, contentSets: .init(twShow: "events"))
        try await CoimotionClient.run(settings, testing: .live) { client async throws in
            try await client.importEvents()
            try await client.takeAttachments("events")
            let phone = try CoimotionPhone(port: try #require(client.server.client.port))
            _ = try await client.signUp("小明", "密碼123密碼123")
            let account = ["accName": "小明", "passwd": "密碼123密碼123"]
            _ = try await phone.call { coimSDK.login(to: "core/user/login", withParameter: account, delegate: $0) }

            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let files = ["stage.png", "hall \"1\".gif"].map { folder.appending(path: $0).path }
            try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(to: URL(filePath: files[0]))
            try Data("GIF89a".utf8).write(to: URL(filePath: files[1]))
            let path = "twShow/show/attach/" + CoimotionFixtures.spring
            let parameters = ["nType": "3", "title": "舞台"]
            let reply = try await phone.call {
                coimSDK.attachFiles(files, to: path, withParams: parameters, delegate: $0)
            }
            #expect(reply.code == 0 && reply.texts("type") == ["image/png", "image/gif"], "\(reply.body)")
            #expect(reply.texts("title") == ["舞台", "舞台"] && reply.texts("path").first == "stage.png")

            let data = ["nType": "1", "dataURI": "data:image/gif;base64,R0lGODlh"]
            let again = try await phone.call {
                coimSDK.attachFiles(nil, to: path, withParams: data, delegate: $0)
            }
            #expect(again.code == 0 && again.texts("type") == ["image/gif"], "\(again.body)")
        }
    }

    @Test("M-02 Over a socket the first label of the Host names the App")
    func hosts() async throws {
        try await CoimotionClient.run(testing: .live) { client async throws in
            let body = #"{"_key":"\#(CoimotionClient.key)"}"#
            for (host, code) in [("demoapp.example.com", 0), ("unknown1.example.com", -12)] {
                let request = """
                    POST /core/user/profile HTTP/1.1\r
                    Host: \(host)\r
                    Content-Type: application/json; charset=utf-8\r
                    Content-Length: \(body.utf8.count)\r
                    Connection: close\r
                    \r
                    \(body)
                    """
                let port = try #require(client.server.client.port)
                let answer = try await RawClient.exchange(port, Array(request.utf8))
                #expect(answer.hasPrefix("HTTP/1.1 200") && answer.contains("\"errCode\":\(code),"), "\(answer)")
            }
        }
    }
}

/// A phone with the facade.
private struct CoimotionPhone: Sendable {
    private let dependencies: FacadeDependencies

    init(port: Int) throws {
        let info = [
            "coim_app_code": CoimotionClient.code, "coim_app_key": CoimotionClient.key,
            "CarillonServerURL": "http://127.0.0.1:\(port)",
        ]
        dependencies = FacadeDependencies(isExtension: false, memory: PhoneMemory(), info: { info[$0] })
    }

    var token: String {
        get async {
            await FacadeDependencies.$current.withValue(dependencies) {
                await MainActor.run { coimSDK.getToken() }
            }
        }
    }

    /// Makes a call, and waits for its answer.
    func call(
        _ make: @escaping @MainActor @Sendable (AnyObject) -> CoimConnection
    ) async throws -> CoimotionReply {
        let body = try await FacadeDependencies.$current.withValue(dependencies) {
            try await PhoneListener.answer(make)
        }
        return CoimotionReply(body: try JSONDecoder().decode(JSONValue.self, from: body))
    }

    func send(_ path: String, _ parameters: [String: JSONValue] = [:]) async throws -> CoimotionReply {
        let texts = parameters.compactMapValues(\.string)
        return try await call { coimSDK.send(to: path, withParameter: texts, delegate: $0) }
    }
}

/// The delegate of one call.
@MainActor
private final class PhoneListener: NSObject, coimDelegate {
    private var continuation: CheckedContinuation<Data, any Error>?

    private init(_ continuation: CheckedContinuation<Data, any Error>) { self.continuation = continuation }

    /// - Returns: The answer's body.
    static func answer(_ make: @MainActor @Sendable (AnyObject) -> CoimConnection) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            coimSDK.initSDK(nil)
            _ = make(PhoneListener(continuation))
        }
    }

    func coimConnection(_ connection: CoimConnection, didFailWithError error: any Error) {
        continuation?.resume(throwing: error)
        continuation = nil
    }

    func coimConnectionDidFinishLoading(_ connection: CoimConnection, withData responseData: [AnyHashable: Any]) {
        let members = responseData as? [String: Any] ?? [:]
        let data = Result { try JSONSerialization.data(withJSONObject: members) }
        continuation?.resume(with: data)
        continuation = nil
    }
}

/// Values of an app, as long as its process lives.
///
/// Unchecked: `lock` protects `values`.
private final class PhoneMemory: FacadeStorage, @unchecked Sendable {
    private let lock = NSLock()
    private var values: [String: Data] = [:]

    func data(_ name: String) -> Data? { lock.withLock { values[name] } }

    func keep(_ data: Data?, _ name: String) { lock.withLock { values[name] = data } }
}
