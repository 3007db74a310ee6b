import CarillonEngine
import CarillonImporters
import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import Foundation
import Testing

@testable import CarillonCommand

/// Imports of other services' files into a store: what a row becomes among others, and after others.
struct SourceImportTests {
    static let header =
        "identifier,device_type,external_user_id,notification_types,invalid_identifier,last_active,tags\n"

    func row(
        _ byte: Int,
        user: String = "",
        types: String = "31",
        seen: String = "",
        tags: String = ""
    ) -> String {
        "\(importedToken(byte)),0,\(user),\(types),\(types == "31" ? "f" : "t"),\(seen),\(tags)\n"
    }

    @Test("X-04 Several parts are one import, and a part that is there twice changes nothing")
    func importsParts() async throws {
        try await ImportWorld.run { world in
            let (one, two) = (Self.header + row(1, user: "a"), Self.header + row(2, user: "b") + row(1, user: "c"))

            let report = try await world.importing(OneSignalFormat.self, one, two, two)

            #expect(report.files == 3)
            #expect((report.rows, report.added, report.replaced) == (5, 2, 0))
            #expect(report.leftOut.map { "\($0.name) \($0.count)" } == ["duplicate 3"])
            #expect(report.leftOut.first?.lines == ["part-0.csv:2", "part-1.csv:2", "part-1.csv:3"])
        }
    }

    @Test("X-22 X-23 X-24 A dry run has the same report and writes nothing; the report adds up")
    func runsDry() async throws {
        try await ImportWorld.run { world in
            try await world.importing(OneSignalFormat.self, Self.header + row(1))
            let before = try await world.snapshot()
            let text =
                Self.header + row(1) + row(2, user: "a", types: "-18")
                + row(2, user: "a", seen: "1700000000", tags: #""{""x"":1}""#)
                + "x:y,0,,31,f,,\n"
                + "x:y,1,,31,f,,\nbad,0,,31,f,,\n" + row(3, types: "-10") + "few\n" + ",0,,31,t,,\n"

            let dry = try await world.importing(OneSignalFormat.self, text, isDryRun: true)
            let unchanged = try await world.snapshot()
            #expect(try await world.attributes("a") == [:])
            let wet = try await world.importing(OneSignalFormat.self, text)

            #expect(unchanged == before)
            #expect(dry.isDryRun && !wet.isDryRun)
            for report in [dry, wet] {
                #expect(report.rows == 9 && report.sum == 9)
                #expect((report.added, report.replaced, report.registered) == (1, 1, 0))
                #expect(
                    report.leftOut.map { "\($0.name) \($0.lines.joined(separator: ","))" }
                        == ["duplicate 3", "dead 8", "firebaseToken 5", "withoutToken 10"]
                )
                #expect(report.others.map { "\($0.name) \($0.lines.joined(separator: ","))" } == ["android 6"])
                #expect(report.refused.lines == ["7", "9"])
            }
            // The refusal of a row never repeats its values.
            #expect(!wet.text.contains("x:y") && !wet.text.contains("bad"))
        }
    }

    @Test("X-24 Of each reason the first ten lines are named, and all are counted") func namesFirstLines() async throws
    {
        try await ImportWorld.run { world in
            let text = Self.header + (0..<12).map { _ in row(1, types: "-10") + "bad,0,,31,f,,\n" }.joined()

            let report = try await world.importing(OneSignalFormat.self, text, isDryRun: true)

            #expect(report.leftOut.map(\.count) == [12] && report.refused.count == 12)
            #expect(report.leftOut.map(\.lines) == [stride(from: 2, to: 22, by: 2).map { "\($0)" }])
            #expect(report.refused.lines == stride(from: 3, to: 23, by: 2).map { "\($0)" })
        }
    }

    @Test("X-44 Rows of one user give one user, several devices, and all attributes", arguments: [true, false])
    func mergesUsers(_ isAlone: Bool) async throws {
        try await ImportWorld.run { world in
            let text =
                Self.header + row(1, user: "a", tags: #""{""x"":1,""y"":1}""#)
                + row(2, user: "a", tags: #""{""y"":2}""#)

            try await world.importing(OneSignalFormat.self, text, windowSize: 1, isAlone: isAlone)

            #expect(try await world.devices().values.map(\.user?.rawValue) == ["a", "a"])
            #expect(try await world.attributes("a") == ["x": .integer(1), "y": .integer(2)])
        }
    }

    @Test("X-44 Tags of a user's channels are joined", arguments: [true, false])
    func joinsTags(_ isAlone: Bool) async throws {
        try await ImportWorld.run { world in
            func channel(_ byte: Int, _ tags: String) -> String {
                "{\"device_type\":\"ios\",\"push_address\":\"\(importedToken(byte))\",\"opt_in\":true,"
                    + "\"named_user_id\":\"a\",\"tags\":[\(tags)]}\n"
            }
            let text = channel(1, #""red","blue""#) + channel(2, #""green""#)

            try await world.importing(AirshipFormat.self, text, windowSize: 1, isAlone: isAlone)
            try await world.importing(AirshipFormat.self, text)

            #expect(try await world.tags("a") == ["red", "blue", "green"])
        }
    }

    @Test("The last use that the service knows is when the device was seen last")
    func importsLastUse() async throws {
        try await ImportWorld.run { world in
            let day: Int64 = 86_400_000
            let seen = Timestamp(rawValue: (SystemWallClock().now().rawValue / day - 40) * day)
            let text = Self.header + row(1, seen: "\(seen)") + row(2)
            let before = SystemWallClock().now()
            try await world.importing(OneSignalFormat.self, text)
            let rows = try await world.stores.deviceExports.devices(app: world.server.app, after: nil, limit: 2)
            let times = rows.sorted { $0.registeredAt < $1.registeredAt }.map(\.registeredAt)
            #expect(times.first == seen)
            #expect(times.last.map { $0 >= before } == true)
        }
    }

    @Test("Users of a tag get it whether their tokens come before or after", arguments: [true, false])
    func importsUsersOfTags(_ isTokenFirst: Bool) async throws {
        try await ImportWorld.run { world in
            let users =
                #"{"uids":[{"uid":"a","tags":[{"tagName":"sports"}]},{"uid":"b","tags":[{"tagName":"sports"}]}]}"#
            let tokens =
                "{\"tokens\":[{\"pushType\":\"APNS\",\"uid\":\"a\",\"token\":\"\(importedToken(1))\","
                + "\"isNotificationAgreement\":true,\"isAdAgreement\":true,\"isNightAdAgreement\":true,"
                + "\"adAgreementDateTime\":\"2026-04-01T12:00:00.000+09:00\"}]}"
            let texts = isTokenFirst ? (tokens, users) : (users, tokens)

            let report = try await world.importing(ToastFormat.self, texts.0, texts.1, isAlone: true)

            #expect((report.rows, report.added, report.users) == (3, 1, 2))
            #expect(try await world.tags("a") == ["sports"])
            #expect(try await world.tags("b") == ["sports"])
            // X-36
            let rows = try await world.stores.deviceExports.devices(app: world.server.app, after: nil, limit: 1)
            #expect(rows.map(\.registration.consent) == [Consent(notifications: true, ads: true, nightAds: true)])
            let times = try await world.record(try #require(rows.first).device).consentTimes
            #expect(times == ConsentTimes(ads: Timestamp("2026-04-01T03:00:00Z")))
        }
    }

    @Test("X-39 A token of NHN's list is dead, unless it was registered later") func leavesOutInvalidTokens()
        async throws
    {
        try await ImportWorld.run { world in
            func object(_ byte: Int, _ date: String) -> String {
                "{\"pushType\":\"APNS\",\"token\":\"\(importedToken(byte))\",\"isNotificationAgreement\":true,"
                    + "\"updatedDateTime\":\"\(date)\"}"
            }
            let tokens = "{\"tokens\":[\(object(1, "2026-01-01")),\(object(2, "2026-03-01"))]}"
            let dead = [1, 2].map { "{\"token\":\"\(importedToken($0))\",\"createdDateTime\":\"2026-02-01\"}" }

            let report = try await world.importing(
                ToastFormat.self,
                "{\"invalidTokens\":[\(dead.joined(separator: ","))]}",
                tokens
            )

            #expect(report.sum == 4 && report.added == 1)
            #expect(report.leftOut.map { "\($0.name) \($0.count)" } == ["dead 3"])
            #expect(try await Set(world.devices().keys) == [importedToken(2)])
        }
    }

    @Test("X-52 Devices that were not seen since a day are left out; those without a date stay")
    func leavesOutOldDevices() async throws {
        try await ImportWorld.run { world in
            let text =
                Self.header + row(1, seen: "2025-12-31") + row(2, seen: "2026-01-01") + row(3)

            let report = try await world.importing(OneSignalFormat.self, text) {
                $0.activeSince = Timestamp("2026-01-01T00:00:00Z")
            }

            #expect(report.added == 2)
            #expect(report.leftOut.map { "\($0.name) \($0.lines.joined())" } == ["notSeenSince 2"])
        }
    }

    @Test("X-53 Of rows with one token the newest holds, an active one before an inactive one, in any order")
    func choosesTheNewest() async throws {
        func endpoint(_ user: String, _ status: String, _ date: String) -> String {
            "{\"Address\":\"\(importedToken(1))\",\"ChannelType\":\"APNS\",\"OptOut\":\"NONE\",\"EndpointStatus\":\"\(status)\","
                + "\"EffectiveDate\":\"\(date)\",\"User\":{\"UserId\":\"\(user)\"}}\n"
        }
        let lines = [
            endpoint("old", "ACTIVE", "2026-01-01T00:00:00Z"), endpoint("newest", "ACTIVE", "2026-02-01T00:00:00Z"),
            endpoint("inactive", "INACTIVE", "2026-03-01T00:00:00Z"),
        ]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            try await ImportWorld.run { world in
                let report = try await world.importing(PinpointFormat.self, order.map { lines[$0] }.joined())

                #expect(report.leftOut.map(\.count) == [2])
                #expect(try await world.devices().values.map(\.user?.rawValue) == ["newest"])
            }
        }
    }

    @Test("X-54 The same files again change nothing") func changesNothing() async throws {
        try await ImportWorld.run { world in
            let text =
                Self.header + row(1, user: "a", tags: #""{""x"":1}""#) + row(2, user: "a") + row(3, types: "-2")
                + row(1)

            try await world.importing(OneSignalFormat.self, text, isAlone: true)
            let once = try await world.snapshot()
            let report = try await world.importing(OneSignalFormat.self, text)

            #expect(try await world.snapshot() == once)
            #expect((report.added, report.replaced) == (0, 3))
        }
    }

    @Test("X-55 A device that its app has registered is untouched") func keepsRegisteredDevices() async throws {
        try await ImportWorld.run { world in
            var registration = Registration(
                token: DeviceToken(hexadecimal: importedToken(1)),
                consent: Consent(notifications: false)
            )
            registration.language = "ko"
            _ = try await world.server.composition.engine.devices.register(
                app: world.server.app,
                device: DeviceID(rawValue: UUID()),
                secret: "a secret of the device's own making",
                registration
            )
            let before = try await world.snapshot()

            let report = try await world.importing(OneSignalFormat.self, Self.header + row(1, user: "old"))

            #expect((report.added, report.replaced, report.registered) == (0, 0, 1))
            #expect(try await world.snapshot() == before)
        }
    }

    @Test("X-56 An import that was killed at any row and is run again ends like one run") func survivesKills()
        async throws
    {
        let text =
            Self.header + row(1, user: "a", tags: #""{""x"":1}""#) + row(2, user: "a", tags: #""{""x"":2}""#)
            + row(3, types: "-2") + row(2, user: "b", seen: "1700000000") + row(4, user: "c", types: "0")
        let expected = TestBox<[String: DeviceRecord]?>(nil)
        try await ImportWorld.run { world in
            try await world.importing(OneSignalFormat.self, text, isAlone: true)
            expected.value = try await world.devices()
        }
        for isAlone in [true, false] {
            for rows in 0...4 {
                try await ImportWorld.run { world in
                    await #expect(throws: (any Error).self) {
                        try await world.importing(
                            OneSignalFormat.self,
                            text,
                            windowSize: 1,
                            isAlone: isAlone,
                            stopsAfter: rows
                        )
                    }
                    let indexes = try await world.stores.database.read { connection in
                        try connection.first("SELECT count(*) FROM sqlite_master WHERE name LIKE 'devices_by_%'") {
                            $0.int(0)
                        }
                    }
                    #expect(indexes == 3, "What fills an empty store drops them, and brings them back.")
                    try await world.importing(OneSignalFormat.self, text, isAlone: isAlone)

                    #expect(try await world.devices() == expected.value)
                    #expect(try await world.attributes("a") == ["x": .integer(1)])
                }
            }
        }
    }
}

/// A value that a closure of a test sets.
final class TestBox<Value: Sendable>: @unchecked Sendable {
    // A test sets it before it reads it, one after the other.
    var value: Value

    init(_ value: Value) { self.value = value }
}
