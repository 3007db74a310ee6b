import CarillonModel
import CarillonOperatorModel
import Foundation
import Testing

@Suite("Requests of administrators")
struct AdministrationTests {
    private static let apps: [RequestCase] = [
        .bad("name", nil), .bad("name", #""""#), .bad("name", RequestCase.text(101)),
        RequestCase("name", RequestCase.text(100)),
        .bad("bundleID", nil), .bad("bundleID", RequestCase.text(156)), .bad("bundleID", #""com example""#),
        .bad("bundleID", #""com.éx""#), RequestCase("identity", nil), .bad("identity", #""closed""#),
        .bad("color", "1"), RequestCase("dialect", #""toast""#), RequestCase("dialect", #""corepush""#),
        .bad("dialect", #""fcm""#), RequestCase("adRule", #""korean""#), .bad("adRule", #""nobody""#),
    ]

    @Test("Each field of an App is checked against its limit", arguments: apps)
    func checksApps(_ changed: RequestCase) throws {
        try changed.check(AppRequest.self, base: #"{"name":"Shop","bundleID":"com.example.shop","identity":"open"}"#)
    }

    private static let changes: [RequestCase] = [
        RequestCase("name", nil), .bad("name", #""""#), .bad("name", RequestCase.text(101)),
        RequestCase("dialect", nil), .bad("dialect", #""fcm""#), .bad("bundleID", #""com.example""#),
        RequestCase("adRule", #""everyone""#), .bad("adRule", "1"),
    ]

    @Test("Each field of a change of an App is checked against its limit", arguments: changes)
    func checksAppChanges(_ changed: RequestCase) throws {
        try changed.check(AppUpdate.self, base: #"{"name":"Shop","dialect":"toast"}"#)
    }

    private static let keys: [RequestCase] = [
        .bad("app", #""app_000000000001""#), .bad("name", nil), .bad("name", RequestCase.text(101)),
        .bad("scopes", nil),
        .bad("scopes", "[]"), .bad("scopes", #"["read","read"]"#),
        RequestCase("scopes", #"["root"]"#, wrong: "scopes.0"), RequestCase("scopes", #"["read","send","admin"]"#),
        .bad("expiresAt", #""never""#), RequestCase("expiresAt", #""2030-01-01T00:00:00Z""#), .bad("owner", "1"),
    ]

    @Test("Each field of an API key is checked against its limit", arguments: keys)
    func checksAPIKeys(_ changed: RequestCase) throws {
        try changed.check(
            APIKeyRequest.self,
            base: #"{"name":"CI","scopes":["send"]}"#
        )
    }

    private static let pushKeys: [RequestCase] = [
        .bad("keyID", nil), .bad("keyID", RequestCase.text(9)), .bad("keyID", RequestCase.text(11)),
        .bad("keyID", #""ABC-123456""#), .bad("teamID", nil), .bad("teamID", RequestCase.text(10, "é")),
        .bad("privateKey", nil), .bad("privateKey", RequestCase.text(4_097)), .bad("topic", "1"),
    ]

    @Test("Each field of a push key is checked against its limit", arguments: pushKeys)
    func checksPushKeys(_ changed: RequestCase) throws {
        try changed.check(
            PushKeyRequest.self,
            base: #"{"keyID":"ABCDE12345","teamID":"TEAM012345","privateKey":"-----BEGIN PRIVATE KEY-----\nx"}"#
        )
    }
}

@Suite("Identifiers")
struct IdentifierTests {
    @Test(
        "Encoding and decoding gives the same id, and texts sort as numbers",
        arguments: [0, 1, 31, 32, 1 << 18, 1 << 42, 1 << 59, (1 << 60) - 1] as [Int64]
    )
    func roundTripsInOrder(number: Int64) throws {
        let id = OccurrenceID(rawValue: number)
        let data = try JSONEncoder().encode([id])

        #expect(OccurrenceID(id.description) == id)
        #expect(try JSONDecoder().decode([OccurrenceID].self, from: data) == [id])
        #expect(id.description.utf8.count == 16 && id.description.hasPrefix("occ_"))
        if number > 0 { #expect(OccurrenceID(rawValue: number - 1).description < id.description) }
    }

    @Test("Texts of random ids sort as their numbers") func randomIDsSort() {
        var generator = SystemRandomNumberGenerator()
        let numbers = (0..<1_000).map { _ in Int64(generator.next() >> 4) }.sorted()
        let texts = numbers.map { CampaignID(rawValue: $0).description }

        #expect(texts == texts.sorted())
        #expect(texts.compactMap { CampaignID($0)?.rawValue } == numbers)
    }

    @Test(
        "Malformed ids are refused",
        arguments: [
            "", "occ", "occ_", "occ_00000000000", "occ_0000000000000", "cmp_000000000001", "OCC_000000000001",
            "occ_00000000000i", "occ_00000000000U", "occ-000000000001", " occ_000000000001",
        ]
    )
    func refusesOtherForms(text: String) {
        #expect(OccurrenceID(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([OccurrenceID].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test("An id contains its time of creation") func containTheTime() {
        let id = AppID(milliseconds: 1_800_000_000_123, sequence: 0x7FFFF)

        #expect(id.milliseconds == 1_800_000_000_123)
        #expect(AppID(milliseconds: 0, sequence: 1).rawValue == 1)
        #expect(id < AppID(milliseconds: 1_800_000_000_124, sequence: 0))
    }

    @Test("Device ids are UUIDs in lower case") func deviceIDsAreUUIDs() throws {
        let text = "0FB1A0E2-5D1C-4B7C-9A51-0E6B6C0B1A2F"

        #expect(DeviceID(text)?.description == text.lowercased())
        #expect(DeviceID(text.lowercased()) == DeviceID(text))
        #expect(DeviceID("0FB1A0E25D1C4B7C9A510E6B6C0B1A2F") == nil && DeviceID("") == nil)
    }
}

@Suite("Device tokens")
struct DeviceTokenTests {
    @Test("Both cases are decoded, and lower case is encoded") func acceptsBothCases() {
        let token = DeviceToken(hexadecimal: "00ABCDEF12345678")

        #expect(token?.bytes == [0, 0xAB, 0xCD, 0xEF, 0x12, 0x34, 0x56, 0x78])
        #expect(token?.hexadecimal == "00abcdef12345678")
    }

    @Test("Other lengths are refused", arguments: [0, 7, 101])
    func refusesOtherLengths(count: Int) {
        #expect(DeviceToken(bytes: [UInt8](repeating: 1, count: count)) == nil)
        #expect(DeviceToken(hexadecimal: String(repeating: "01", count: count)) == nil)
    }

    @Test(
        "Other characters and odd lengths are refused",
        arguments: ["00112233445566g7", "0011223344556 77", "00112233445566é", "001122334455667", "00112233445566778"]
    )
    func refusesOtherTexts(text: String) { #expect(DeviceToken(hexadecimal: text) == nil) }

    @Test("A description never contains the token, alone or inside another value") func hidesTheToken() throws {
        let token = try #require(DeviceToken(bytes: [UInt8](repeating: 0xAB, count: 32)))
        let registration = Registration(token: token, consent: Consent(notifications: true))
        var dumped = ""
        dump(registration, to: &dumped)

        for text in ["\(token)", "\(registration)", String(reflecting: registration), dumped] {
            #expect(!text.lowercased().contains("abab") && !text.contains("171"))
        }
    }
}

@Suite("Events")
struct EventTests {
    private let receipt = "AZaz09-_AZaz09-_AZaz09-_"

    @Test("Unknown fields of a newer SDK are ignored") func ignoresUnknownFields() throws {
        let json = """
            {"events":[{"occurrence":"occ_000000000001","receipt":"\(receipt)","kind":"action",
            "at":"2026-11-21T12:00:00.120Z","action":"go","reply":"hi","mood":"good"}],"sdk":"9"}
            """
        let batch = try JSONDecoder().decode(EventBatch.self, from: Data(json.utf8))

        #expect(batch.events.map(\.kind) == [.action])
        #expect(batch.events.map(\.reply) == ["hi"])
        #expect(try JSONDecoder().decode(EventBatch.self, from: JSONEncoder().encode(batch)) == batch)
    }

    @Test(
        "A malformed receipt is refused",
        arguments: ["", "short", "AZaz09-_AZaz09-_AZaz09-_A", "AZaz09-_AZaz09-_AZaz09+/", "AZaz09-_AZaz09-_AZaz09-é"]
    )
    func refusesMalformedReceipts(text: String) {
        #expect(Receipt(rawValue: text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Receipt].self, from: JSONEncoder().encode([text]))
        }
    }

    @Test("The receipt is encoded unchanged") func keepsTheReceipt() throws {
        let receipt = try #require(Receipt(rawValue: receipt))

        #expect(try JSONDecoder().decode([Receipt].self, from: JSONEncoder().encode([receipt])) == [receipt])
    }
}

@Suite("Errors")
struct FieldErrorTests {
    @Test(
        "An error names the field and its valid values",
        arguments: [
            ("{", "", "must be valid JSON in UTF-8"), ("[1]", "", "must be an object"),
            (#"{"audience":{"all":1},"message":{}}"#, "audience.all", "must be true or false"),
            (#"{"audience":{"all":true},"message":{"expiresIn":"1"}}"#, "message.expiresIn", "must be an integer"),
            (#"{"audience":{"all":true}}"#, "message", "is required"),
            (#"{"audience":null,"message":{}}"#, "audience", "must be an object, not null"),
        ]
    )
    func describesDecodingErrors(json: String, field: String, problem: String) {
        do {
            _ = try JSONDecoder().decode(CampaignRequest.self, from: Data(json.utf8))
            Issue.record("was taken")
        } catch let error as DecodingError {
            let error = FieldError(error)
            #expect(error.field == field)
            #expect(error.problem.hasPrefix(problem.components(separatedBy: ",")[0]) || error.problem == problem)
        } catch {
            Issue.record("another error: \(error)")
        }
    }
}
