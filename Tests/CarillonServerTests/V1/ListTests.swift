import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

/// Lists of Devices and Users.
struct ListTests {
    @Test("S1-operators-24 Devices are listed page by page, all or those of a User, without tokens")
    func listsDevices() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let key = try await server.makeKey(app.app.id, .read)
            let devices = try await Self.register(["u1", nil, "u2", "u1"], server, app)
            func list(_ query: String) async throws -> Page<DeviceRecord> {
                try await server.send(.get, "/v1/devices" + query, key: key).decoded()
            }
            let first = try await list("?limit=3")
            #expect(first.items.map(\.device) == Array(devices.prefix(3)))
            let rest = try await list("?limit=3&cursor=\(try #require(first.nextCursor))")
            #expect(rest.items.map(\.device) == [devices[3]] && rest.nextCursor == nil)
            #expect(try await list("?user=u1").items.map(\.device) == [devices[0], devices[3]])
            #expect(try await list("?user=nobody").items.isEmpty)
            let page = try await server.send(.get, "/v1/devices", key: key)
            #expect(!String(buffer: page.body).contains(Self.token(0)))

            for (query, field) in [("?cursor=-1", "cursor"), ("?cursor=!", "cursor"), ("?user=", "user")] {
                #expect(try await server.send(.get, "/v1/devices" + query, key: key).field == field)
            }
            let other = try await server.makeKey(try await server.makeApp().app.id, .read)
            let foreign: Page<DeviceRecord> = try await server.send(.get, "/v1/devices", key: other).decoded()
            #expect(foreign.items.isEmpty)
        }
    }

    @Test("S1-operators-24 Users are listed by id, all or those with a prefix")
    func listsUsers() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let key = try await server.makeKey(app.app.id, .read)
            _ = try await Self.register(["b/1 é", "a", "b/2", nil, "b/2", "c"], server, app)
            func list(_ query: String) async throws -> Page<ListedUser> {
                try await server.send(.get, "/v1/users" + query, key: key).decoded()
            }
            let first = try await list("?limit=2")
            #expect(first.items.map(\.user.rawValue) == ["a", "b/1 é"])
            let rest = try await list("?limit=2&cursor=\(try #require(first.nextCursor))")
            #expect(rest.items.map(\.user.rawValue) == ["b/2", "c"] && rest.nextCursor == nil)
            #expect(rest.items.map(\.devices) == [2, 1])
            #expect(try await list("?prefix=b%2F").items.map(\.user.rawValue) == ["b/1 é", "b/2"])
            #expect(try await list("?prefix=x").items.isEmpty)
            #expect(try await server.send(.get, "/v1/users?cursor=!", key: key).field == "cursor")
        }
    }

    @Test("S1-operators-29 A cursor of no list, or of another one, is refused")
    func refusesCursors() async throws {
        try await TestServer.run { server in
            let app = try await server.makeApp()
            let key = try await server.makeKey(app.app.id, .read)
            _ = try await Self.register(["u"], server, app)
            for path in ["/v1/devices?", "/v1/consents/ads?", "/v1/message-log?user=u&"] {
                for cursor in ["garbage", "1a", "dQ", "x.1", ""] {
                    let answer = try await server.send(.get, path + "cursor=" + cursor, key: key)
                    #expect(answer.field == "cursor", "\(path) \(cursor)")
                }
            }
        }
    }

    // MARK: - Private

    private static func token(_ index: Int) -> String { String(repeating: "\(index)a", count: 16) }

    private static func register(
        _ users: [String?],
        _ server: TestServer,
        _ app: AppSecrets
    ) async throws -> [DeviceID] {
        var devices: [DeviceID] = []
        for (index, user) in users.enumerated() {
            let device = try #require(DeviceID(UUID().uuidString.lowercased()))
            let person = user.map { ",\"user\":\"\($0)\"" } ?? ""
            let answer = try await server.send(
                .put,
                "/v1/devices/\(device)",
                "{\"token\":\"\(token(index))\",\"consent\":{\"notifications\":true}\(person)}",
                headers: server.device(app)
            )
            #expect(answer.status == .created)
            devices.append(device)
        }
        return devices
    }
}
