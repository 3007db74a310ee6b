import ApplePushConnection
import ApplePushSender
import ArgumentParser
import CarillonEngine
import CarillonModel
import CarillonSQL
import CarillonServer
import CarillonStore
import Foundation
import NIOCore
import Testing

@testable import CarillonCommand

struct ServerSettingsTests {
    private func configuration(
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        file: String? = nil
    ) async throws -> ServerConfiguration {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        var path: String?
        if let file {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            path = folder.appendingPathComponent("settings.json").path
            try file.write(toFile: path ?? "", atomically: true, encoding: .utf8)
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let settings = try await ServerSettings(
            flags: try ServeOptions.parse(arguments).values,
            environment: environment,
            file: path
        )
        return try ServerConfiguration(settings, folder: folder)
    }

    @Test("Flags take precedence over the environment, and that over the file")
    func ordersSources() async throws {
        let environment = ["CARILLON_PORT": "2", "CARILLON_ACCESS_LOG": "all"]
        let file = #"{"port":3,"accessLog":"none","host":"::1"}"#

        let configuration = try await configuration(["--port", "1"], environment: environment, file: file)

        #expect(configuration.server.port == 1)
        #expect(configuration.server.accessLog == .all)
        #expect(configuration.server.host == "::1")
    }

    @Test("By default it listens on this machine only")
    func hasDefaults() async throws {
        let configuration = try await configuration()

        #expect(configuration.server.host == "127.0.0.1")
        #expect(configuration.server.port == 8080)
        #expect(configuration.server.tls == nil)
        #expect(configuration.registrationLimit == ServerConfiguration.RegistrationLimit())
        #expect(configuration.apns.production == .production)
        #expect(configuration.store.shown.hasSuffix("/carillon.sqlite"))
    }

    @Test("Nested keys are found in every source")
    func findsNestedKeys() async throws {
        let file =
            #"{"apns":{"host":"localhost:2197"},"dispatcher":{"leaseSeconds":2},"trustedProxies":["10.0.0.0/8"]}"#

        let configuration = try await configuration(environment: ["CARILLON_REGISTRATION_RATE": "0"], file: file)

        #expect(configuration.apns.production == Endpoint(host: "localhost", port: 2197))
        #expect(configuration.apns.sandbox == Endpoint(host: "localhost", port: 2197))
        #expect(configuration.dispatcher.leaseTime == .seconds(2))
        #expect(configuration.registrationLimit == nil)
        #expect(configuration.server.trustedProxies.contains("10.1.1.1"))
    }

    @Test("On PostgreSQL the lease includes the time until another node detects a failure")
    func leaseOfNodes() async throws {
        let usual = try await configuration(["--database", "postgres://carillon@db.example/carillon"]).dispatcher
        #expect(usual.leaseTime + usual.longestWait == .seconds(10) && usual.longestWait == .seconds(1))
        let environment = ["CARILLON_DATABASE": "postgres://carillon@db.example/carillon"]
        let short = try await configuration(["--lease-seconds", "2"], environment: environment).dispatcher
        #expect(short.leaseTime + short.longestWait == .seconds(2) && short.longestWait == .milliseconds(500))
    }

    @Test("P-44 P-43 the proxy is set by a flag or the environment, and an error never repeats its password")
    func proxy() async throws {
        let environment = ["CARILLON_APNS_PROXY": "http://user:hunter2@proxy.example:3128"]
        let found = try await configuration(environment: environment)
        #expect(found.apns.pool.proxy?.host == "proxy.example" && found.apns.pool.proxy?.port == 3128)
        #expect(!"\(found.apns)".contains("hunter2"))
        let flag = try await configuration(["--apns-proxy", "http://other:8080"], environment: environment)
        #expect(flag.apns.pool.proxy?.host == "other")
        let bad = ["CARILLON_APNS_PROXY": "https://user:hunter2@proxy.example:3128"]
        let failure = await #expect(throws: ServerSettings.Failure.self) { try await configuration(environment: bad) }
        #expect(failure?.description.contains("hunter2") == false)
    }

    @Test("S1-C1 new Devices of an App and the rate with invalid tokens are limited by default")
    func floodSettings() async throws {
        let plain = try await configuration()
        #expect(plain.apns.pool.badTokenBrake?.rate == 1_000)
        #expect(plain.newDevicesPerMinute == 60_000)
        let flags = ["--apns-bad-token-rate", "0", "--registration-new-devices-per-minute", "0"]
        let unbounded = try await configuration(flags)
        #expect(unbounded.apns.pool.badTokenBrake == nil)
        #expect(unbounded.newDevicesPerMinute == nil)
    }

    @Test("S1-M3 S1-m1 limits of connections and callers have defaults, and can be changed or disabled")
    func limitSettings() async throws {
        let plain = try await configuration().server
        #expect(plain.connections == ConnectionLimits() && plain.connections.perAddress == 2_000)
        #expect(plain.requestLimits == RequestLimits() && plain.requestLimits?.apiKey == 2_000)
        let environment = [
            "CARILLON_LIMITS_API_KEY_RATE": "7", "CARILLON_LIMITS_DEVICE_RATE": "0",
            "CARILLON_CONNECTIONS_PER_ADDRESS": "0",
        ]
        let changed = try await configuration(
            ["--connections-request-seconds", "2.5", "--limits-app-key-rate", "0", "--limits-costly", "1"],
            environment: environment,
            file: #"{"connections":{"leastRate":9,"answerSeconds":3},"limits":{"wrongKeyRate":0}}"#
        ).server
        #expect(changed.connections.perAddress == nil && changed.connections.requestTime == .milliseconds(2_500))
        #expect(changed.connections.leastRate == 9 && changed.connections.answerTime == .seconds(3))
        #expect(changed.requestLimits?.apiKey == 7 && changed.requestLimits?.costly == 1)
        let unbounded = [
            changed.requestLimits?.appKey, changed.requestLimits?.device, changed.requestLimits?.unknownKey,
        ]
        #expect(unbounded == [nil, nil, nil])
    }

    @Test("P-13 P-41 ages of connections and the limit for invalid tokens are settings")
    func connectionSettings() async throws {
        let plain = try await configuration().apns.pool
        #expect(plain.maximumConnectionAge == nil && plain.maximumRequestsPerConnection == nil)
        let arguments = ["--apns-connection-hours", "1.5", "--apns-connection-requests", "50000"]
        let pool = try await configuration(arguments + ["--apns-bad-token-rate", "20"]).apns.pool
        #expect(pool.maximumConnectionAge == .seconds(5_400) && pool.maximumRequestsPerConnection == 50_000)
        #expect(pool.badTokenBrake?.rate == 20)
    }

    @Test("The database is a file, or a PostgreSQL URL whose password is never shown")
    func databases() async throws {
        let file = try await configuration(["--database", "/srv/shop.sqlite"])
        #expect(file.store == .file(path: "/srv/shop.sqlite") && file.store.shown == "/srv/shop.sqlite")

        let url = "postgres://shop:hunter2@db.example/shop?sslmode=require&password=hunter2"
        let shared = try await configuration(environment: ["CARILLON_DATABASE": url])
        #expect(shared.store == .postgreSQL(url: url))
        #expect(shared.store.shown == "postgres://shop@db.example/shop")
        // A node that died has to be seen well within its lease.
        #expect(shared.dispatcher.longestWait < shared.dispatcher.leaseTime)
        let hosts = try await configuration(["--database", "postgresql://shop:hunter2@a:5432,b:5433/shop"])
        #expect(!hosts.store.shown.contains("hunter2"))
        let flag = try await configuration(["--database", "x.sqlite"], environment: ["CARILLON_DATABASE": url])
        #expect(flag.store == .file(path: "x.sqlite"))
    }

    @Test("A node has one role or all, and the configured number of connections", arguments: ServerRole.allCases)
    func roles(_ role: ServerRole) async throws {
        let file = #"{"postgres":{"readers":9,"servingWriters":3,"bulkWriters":1},"database":"postgres://db/shop"}"#
        let found = try await configuration(["--role", role.rawValue], file: file)

        #expect(found.role == role && found.server.servesAPI == (role != .dispatch))
        let options = found.postgreSQL
        #expect((options.readerCount, options.servingWriterCount, options.bulkWriterCount) == (9, 3, 1))
        let environment = ["CARILLON_ROLE": role.rawValue, "CARILLON_DATABASE": "postgres://db/shop"]
        let told = try await configuration(environment: environment)
        #expect(told.role == role)
    }

    @Test(
        "An invalid setting is reported",
        arguments: [
            (["--port", "65536"], [:], nil, "port"), ([], ["CARILLON_PORT": "x"], nil, "port"),
            ([], [:], #"{"port":"8080x"}"#, "port"), ([], [:], #"{"prot":8080}"#, "prot"), ([], [:], "[]", "JSON"),
            (["--access-log", "some"], [:], nil, "accessLog"), (["--tls-cert", "/x"], [:], nil, "tls.key"),
            (["--tls-cert", "/no", "--tls-key", "/no"], [:], nil, "/no"),
            (["--apns-host", "a:b"], [:], nil, "apns.host"), (["--apns-proxy", "socks://x"], [:], nil, "apns.proxy"),
            ([], [:], #"{"apns":{"badTokenRate":-1}}"#, "apns.badTokenRate"),
            (["--trusted-proxy", "x"], [:], nil, "trustedProxies"),
            ([], ["CARILLON_METRICS_OPEN": "maybe"], nil, "metricsOpen"),
            (["--registration-rate=-1"], [:], nil, "registration.rate"),
            (["--connections-request-seconds", "0"], [:], nil, "connections.requestSeconds"),
            (["--limits-device-rate=-1"], [:], nil, "limits.deviceRate"),
            (["--role", "api"], [:], nil, "role"), ([], ["CARILLON_ROLE": "some"], nil, "role"),
            (["--apns-ca-file", "/nofile.pem"], [:], nil, "apns.caFile: cannot read certificates from /nofile.pem"),
            (["--apns-ca-file", "/dev/null"], [:], nil, "apns.caFile"),
            ([], [:], #"{"postgres":{"readers":0}}"#, "postgres.readers"),
            ([], [:], #"{"postgres":{"servingWriters":33}}"#, "postgres.servingWriters"),
        ] as [([String], [String: String], String?, String)]
    )
    func namesSetting(
        _ arguments: [String],
        _ environment: [String: String],
        _ file: String?,
        _ name: String
    ) async throws {
        let failure = await #expect(throws: ServerSettings.Failure.self) {
            try await configuration(arguments, environment: environment, file: file)
        }

        #expect(failure?.description.contains(name) == true)
    }

    @Test(
        "Every setting can be a flag",
        arguments: ServerSetting.allCases
    )
    func hasFlag(_ setting: ServerSetting) throws {
        let words = setting.rawValue == "apns.caFile" ? ["apns", "ca", "file"] : Self.words(setting.rawValue)
        let flag = "--" + words.joined(separator: "-")
        let help = ServeOptions.helpMessage(includeHidden: true)

        let names = [
            flag, flag.replacing("-proxies", with: "-proxy"), flag.replacing("database-", with: ""),
            flag.replacing("dispatcher-", with: ""),
            // Each gives one of several.
            flag.replacing("-groups", with: "-group"), flag.replacing("-scopes", with: "-scope"),
            flag.replacing("-addresses", with: "-address"),
        ]
        #expect(names.contains { help.contains($0) })
    }

    private static func words(_ key: String) -> [String] {
        key.replacing("KiB", with: "Kib").reduce(into: [""]) { words, character in
            if character == "." || character.isUppercase { words.append("") }
            if character != "." { words[words.count - 1] += character.lowercased() }
        }
    }

    @Test(
        "An APNs host is a name or address, with an optional port",
        arguments: [
            ("localhost", Endpoint(host: "localhost")), ("127.0.0.1:1", Endpoint(host: "127.0.0.1", port: 1)),
            ("[::1]", Endpoint(host: "::1")), ("[::1]:2197", Endpoint(host: "::1", port: 2197)), ("", nil), (":1", nil),
            ("a:", nil), ("a:0", nil), ("a:65536", nil), ("[::1", nil), ("a b", nil), ("https://a", nil),
            ("[::1]x", nil),
        ] as [(String, Endpoint?)]
    )
    func readsEndpoint(_ text: String, _ endpoint: Endpoint?) {
        #expect(Endpoint(text) == endpoint)
    }

    @Test("The data folder is the configured one, else the service's, the user's, or here")
    func choosesFolder() {
        func path(_ told: String?, _ environment: [String: String]) -> String {
            DataFolder.url(configured: told, environment: environment).path
        }

        #expect(path("/told", ["STATE_DIRECTORY": "/s", "HOME": "/h"]) == "/told")
        #expect(path(nil, ["STATE_DIRECTORY": "/s:/t", "HOME": "/h"]) == "/s")
        #expect(path(nil, ["XDG_DATA_HOME": "/x", "HOME": "/h"]) == "/x/carillon")
        #expect(path(nil, ["XDG_DATA_HOME": "x", "HOME": "/h"]) == "/h/.local/share/carillon")
        #expect(path(nil, ["HOME": "/"]).hasSuffix("/carillon-data"))
        #expect(path(nil, [:]).hasSuffix("/carillon-data"))
    }

    @Test(
        "Plain HTTP beyond this machine causes a warning, unless a proxy is configured",
        arguments: [
            ("127.0.0.1", [], false), ("localhost", [], false), ("::1", [], false), ("0.0.0.0", [], true),
            ("10.0.0.1", [], true), ("0.0.0.0", ["--trusted-proxy", "10.0.0.2"], false),
        ] as [(String, [String], Bool)]
    )
    func warns(_ host: String, _ more: [String], _ isWarned: Bool) async throws {
        let configuration = try await configuration(["--host", host] + more)

        #expect(
            ServerAnnouncement(configuration, folder: URL(fileURLWithPath: "/tmp"), isJSON: false).isPlainBeyondLoopback
                == isWarned
        )
    }

    @Test("O2-8 hold is off by default")
    func holds() async throws {
        #expect(try await !configuration().holdsBack)
        #expect(try await configuration(["--hold"]).holdsBack)
    }
}
