import Carillon
import CarillonModel
import CarillonOperatorModel
import CarillonTestKit
import Foundation
import Testing

@testable import CarillonCommand

/// The servers that answer the SDK alike: the test kit's in memory, and the real one over HTTP.
enum ContractServer: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case testKit, real

    var testDescription: String { self == .real ? "the real server" : "the test kit's server" }

    /// Starts one with an App of open identity, runs a body, and takes it away.
    func run(_ body: @escaping @Sendable (ContractWorld) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-contract-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        switch self {
        case .testKit:
            let server = TestKitServer()
            server.knownTags = []
            try await body(
                ContractWorld(
                    transport: server,
                    url: TestKitServer.url,
                    appKey: TestKitServer.appKey,
                    token: DeviceToken(bytes: [UInt8](repeating: 7, count: 32)),
                    folder: folder,
                    makeTag: { name in
                        let tag = try #require(TagID(rawValue: String((name + "00000000").prefix(8))))
                        server.knownTags?.insert(tag)
                        return tag
                    },
                    send: { link in
                        let push = TestKitPush(title: "Tonight", body: "Doors open at seven", link: link)
                        return try #require(server.send(push))
                    },
                    turnOnAccounts: { (server.hasAccounts, server.allowsGuests) = (true, true) },
                    signUsers: {},
                    setContent: { rows in
                        let set = ContractContent.set
                        if server.contentSets.isEmpty {
                            try server.setContentSet(set, definition: ContractContent.definition)
                        }
                        try server.setRows(rows, of: set)
                    }
                )
            )
        case .real:
            try await LiveApp.run(.carillon) { live in
                try await body(
                    ContractWorld(
                        transport: URLSessionTransport(),
                        url: live.running.server,
                        appKey: live.appKey,
                        token: DeviceToken(hexadecimal: live.token),
                        folder: folder,
                        makeTag: { name in
                            let request = TagRequest(name: name)
                            let tag: CarillonOperatorModel.Tag = try await live.running.api.post(
                                "v1/tags",
                                ["app": live.app.description],
                                request
                            )
                            return tag.id
                        },
                        send: { link in
                            _ = try await live.send(link: link)
                            return try #require(await live.nextPayload())
                        },
                        turnOnAccounts: {
                            var rules = AccountRules()
                            (rules.isOn, rules.guests) = (true, true)
                            let _: AccountRules = try await live.running.api.put("v1/apps/\(live.app)/accounts", rules)
                        },
                        signUsers: {
                            let _: App = try await live.running.api.patch(
                                "v1/apps/\(live.app)",
                                ["identity": "signed"]
                            )
                        },
                        setContent: { try await live.setContent($0) }
                    )
                )
            }
        }
    }
}

/// One of the servers, and what a test does there beside the SDK.
struct ContractWorld: Sendable {
    let transport: any Transport
    let url: URL
    let appKey: String
    /// A token that pushes reach.
    let token: DeviceToken?
    let folder: URL
    /// Makes a tag of the App.
    let makeTag: @Sendable (String) async throws -> TagID
    /// Sends a message to everybody, and returns the payload of the phone with the token.
    let send: @Sendable (_ link: String?) async throws -> Data
    /// Turns on accounts, with guests.
    let turnOnAccounts: @Sendable () async throws -> Void
    /// Makes the App's identity signed: Users who are claimed stay so, and what they follow is theirs on all phones, as
    /// always in the test kit.
    let signUsers: @Sendable () async throws -> Void
    /// Imports rows into the content set `events`, which is made if there is none.
    let setContent: @Sendable ([ContractRow]) async throws -> Void

    /// A client of one installation; the same name is the same installation.
    func client(_ name: String) throws -> CarillonClient {
        var configuration = CarillonConfiguration(server: url, appKey: appKey)
        configuration.storage = folder.appendingPathComponent(name)
        return try CarillonClient(configuration, transport: transport)
    }

    /// A client whose phone is registered and gets pushes.
    func registered(_ name: String = "phone", user: UserID? = nil) async throws -> CarillonClient {
        let client = try client(name)
        try await client.setDeviceToken(token)
        try await client.register(consent: Consent(notifications: true), user: user)
        return client
    }

    /// Sends a request as the SDK never would.
    func exchange(_ request: RawRequest) async throws -> RawAnswer {
        var headers: [String: String] = [:]
        headers["Carillon-App-Key"] = request.appKey == .own ? appKey : request.appKey.text
        headers["Carillon-Device-Secret"] = request.secret
        headers["Content-Type"] = request.contentType
        let url = try #require(URL(string: self.url.absoluteString + request.path))
        let answer = try await transport.send(
            TransportRequest(
                method: request.method,
                url: url,
                headers: headers,
                body: request.body.map { Data($0.utf8) },
                timeLimit: 30
            )
        )
        let problem = try? JSONDecoder().decode(Problem.self, from: answer.body)
        let record = try? JSONDecoder().decode(DeviceRecord.self, from: answer.body)
        return RawAnswer(
            status: answer.status,
            code: problem?.code,
            field: problem?.errors?.first?.field,
            warnings: record?.warnings?.map(\.field) ?? []
        )
    }
}

/// A request to `/v1`.
struct RawRequest: Sendable {
    enum AppKey: Sendable {
        case own, missing, wrong

        var text: String? { self == .wrong ? "pk_of-nobody" : nil }
    }

    var method: String
    var path: String
    var body: String?
    var appKey = AppKey.own
    var secret: String? = Self.secret
    var contentType: String?

    static let device = "0199a1b2-0000-7000-8000-00000000c0de"
    static let secret = String(repeating: "s", count: 43)

    /// A request to a path below the Device's.
    init(_ method: String, _ path: String = "", _ body: String? = nil) {
        self.method = method
        self.path = "/v1/devices/\(Self.device)\(path)"
        self.body = body
        contentType = body.map { _ in "application/json" }
    }

    func with(_ change: (inout Self) -> Void) -> Self {
        var request = self
        change(&request)
        return request
    }
}

/// Status and problem of an answer.
struct RawAnswer: Hashable, Sendable {
    var status: Int
    var code: String?
    var field: String?
    /// The fields of a registration that were not stored.
    var warnings: [String]

    init(_ status: Int, _ code: String? = nil, _ field: String? = nil, warnings: [String] = []) {
        self.init(status: status, code: code, field: field, warnings: warnings)
    }

    init(status: Int, code: String?, field: String?, warnings: [String]) {
        self.status = status
        self.code = code
        self.field = field
        self.warnings = warnings
    }
}
