import CarillonModel
import Foundation
import Testing

@Suite("Registration")
struct RegistrationTests {
    private static let base = """
        {"token":"\(String(repeating: "ab", count: 32))","pushType":"apns_sandbox","user":"u1",
        "userProof":{"expires":1900000000,"signature":"\(String(repeating: "s", count: 43))"},
        "consent":{"notifications":true,"ads":true,"nightAds":false},"permission":"authorized","language":"zh-Hant-TW",
        "country":"TW","timeZone":"Asia/Taipei","appVersion":"1.0","osVersion":"iOS 17.4","model":"iPhone15,3",
        "sdkVersion":"0.1.0","categories":{"region":["Kanto"]},
        "location":{"latitude":25.03,"longitude":121.56,"at":"2026-11-21T08:44:00.120Z"}}
        """

    private static let cases: [RequestCase] = [
        RequestCase("token", nil), RequestCase("token", "null"),
        RequestCase("token", RequestCase.text(16, "a")), .bad("token", RequestCase.text(14, "a")),
        RequestCase("token", RequestCase.text(200, "a")), .bad("token", RequestCase.text(202, "a")),
        .bad("token", RequestCase.text(17, "a")), .bad("token", #""zz""#), .bad("token", "7"), .bad("token", #""""#),
        RequestCase("pushType", nil), .bad("pushType", #""fcm""#), .bad("pushType", "1"),
        RequestCase("user", nil), .bad("user", #""""#), RequestCase("user", RequestCase.text(128)),
        .bad("user", RequestCase.text(129)), .bad("user", #""a\u0007""#),
        RequestCase("user", RequestCase.text(128, "界")),
        RequestCase("userProof", nil), RequestCase("userProof.expires", nil, wrong: "userProof.expires"),
        .bad("userProof.signature", RequestCase.text(42)), .bad("userProof.signature", RequestCase.text(44)),
        .bad("userProof.signature", nil), .bad("userProof.extra", "1"), .bad("userProof.expires", "1.5"),
        .bad("consent", nil), .bad("consent", "true"), .bad("consent.notifications", nil),
        .bad("consent.notifications", #""yes""#), RequestCase("consent.ads", nil), RequestCase("consent.nightAds", nil),
        .bad("consent.marketing", "true"),
        RequestCase("permission", nil), .bad("permission", #""maybe""#),
        RequestCase("language", nil), .bad("language", #""""#), RequestCase("language", RequestCase.text(35)),
        .bad("language", RequestCase.text(36)),
        .bad("country", #""J""#), RequestCase("country", #""JPN""#), .bad("country", #""JPAN""#),
        RequestCase("timeZone", RequestCase.text(64)), .bad("timeZone", RequestCase.text(65)),
        .bad("appVersion", RequestCase.text(65)), .bad("osVersion", RequestCase.text(65)),
        .bad("model", RequestCase.text(65)), .bad("sdkVersion", RequestCase.text(65)), .bad("model", #""""#),
        .bad("model", #""a\u0000b""#), .bad("idfa", #""x""#),
    ]

    @Test("Each field is checked against its limit", arguments: cases)
    func checksEachField(_ changed: RequestCase) throws {
        try changed.check(Registration.self, base: Self.base)
    }

    private static let places: [RequestCase] = [
        RequestCase("categories", nil), RequestCase("categories", "[]"), RequestCase("categories", #"["1","4"]"#),
        RequestCase("categories", labels(100)), .bad("categories", labels(101)), .bad("categories", "1"),
        .bad("categories", #""1""#), RequestCase("categories", #"["1",""]"#, wrong: "categories.1"),
        RequestCase("categories", #"[1]"#, wrong: "categories.0"),
        RequestCase("categories.region.0", RequestCase.text(64, "界")),
        .bad("categories.region.0", RequestCase.text(65)), .bad("categories.region.0", #""a\u0007""#),
        RequestCase("categories.region", labels(100)), .bad("categories.region", labels(101)),
        .bad("categories.region", #""Kanto""#), RequestCase("categories", dimensions(20)),
        .bad("categories", dimensions(21)),
        .bad("categories", #"{"a":\#(labels(60)),"b":\#(labels(41))}"#),
        RequestCase("categories", #"{"a":\#(labels(60)),"b":\#(labels(40))}"#),
        RequestCase("categories", #"{"\#(String(repeating: "x", count: 65))":[]}"#, wrong: "categories"),
        RequestCase("location", nil), RequestCase("location.latitude", "90"), .bad("location.latitude", "90.1"),
        .bad("location.latitude", "-91"), .bad("location.latitude", nil), .bad("location.latitude", #""25""#),
        RequestCase("location.longitude", "-180"), .bad("location.longitude", "180.5"), .bad("location.at", nil),
        .bad("location.at", #""now""#), .bad("location.speed", "1"),
        .bad("location", "[]"),
    ]

    @Test("Categories and location are checked against their limits", arguments: places)
    func checksCategoriesAndLocation(_ changed: RequestCase) throws {
        try changed.check(Registration.self, base: Self.base)
        try changed.check(RegistrationUpdate.self, base: Self.base)
    }

    private static func labels(_ count: Int) -> String {
        "[" + (0..<count).map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }

    private static func dimensions(_ count: Int) -> String {
        "{" + (0..<count).map { "\"d\($0)\":[]" }.joined(separator: ",") + "}"
    }

    @Test("C-08 a Device without a category is in category 1")
    func standardCategory() throws {
        let registration = Registration(consent: Consent(notifications: true))
        let time = Timestamp(rawValue: 0)
        let record = DeviceRecord(
            device: DeviceID(rawValue: UUID()),
            app: AppID(rawValue: 1),
            registration: registration,
            tokenState: .none,
            createdAt: time,
            registeredAt: time
        )

        #expect(record.categories == .list(["1"]))
    }

    private static let updates =
        cases.map { $0.path == "consent" && $0.json == nil ? RequestCase("consent", nil) : $0 } + [
            RequestCase("user", "null"), RequestCase("language", "null"), RequestCase("token", "null"),
            RequestCase("categories", "null"), RequestCase("location", "null"),
        ]

    @Test("Each field of an update is checked against the same limit", arguments: updates)
    func checksUpdates(_ changed: RequestCase) throws {
        try changed.check(RegistrationUpdate.self, base: Self.base)
    }

    @Test("An update sets, deletes or leaves each field") func updateSetsDeletesOrKeeps() throws {
        let old = try JSONDecoder().decode(Registration.self, from: Data(Self.base.utf8))
        let json = #"{"user":null,"language":"ja","consent":{"notifications":false}}"#
        let new = try JSONDecoder().decode(RegistrationUpdate.self, from: Data(json.utf8)).applied(to: old)

        var expected = old
        expected.user = nil
        expected.userProof = nil
        expected.language = "ja"
        expected.consent = Consent(notifications: false)
        #expect(new == expected)
    }

    @Test("The difference of two registrations leads from one to the other, also when encoded")
    func differenceLeadsToTheOther() throws {
        let full = try JSONDecoder().decode(Registration.self, from: Data(Self.base.utf8))
        let bare = Registration(consent: Consent(notifications: true))
        var renamed = full
        renamed.user = UserID(rawValue: "u2")
        for (old, new) in [(full, full), (bare, full), (full, bare), (full, renamed), (renamed, full)] {
            let update = RegistrationUpdate(from: old, to: new)
            let data = try JSONEncoder().encode(update)
            let read = try JSONDecoder().decode(RegistrationUpdate.self, from: data)
            #expect(read == update)
            #expect(update.isEmpty == (old == new))
            var result = read.applied(to: old)
            var expected = new
            // Permission cannot be taken back, and a proof goes along with a change of user only.
            if new.permission == nil { expected.permission = old.permission }
            result.userProof = nil
            expected.userProof = nil
            #expect(result == expected)
        }
    }

    @Test("Encoding and decoding gives the same value") func roundTrips() throws {
        let registration = try JSONDecoder().decode(Registration.self, from: Data(Self.base.utf8))
        let data = try JSONEncoder().encode(registration)

        #expect(try JSONDecoder().decode(Registration.self, from: data) == registration)
    }

    @Test(
        "Text that is not a JSON object is an error, not a crash",
        arguments: ["", "{", "[]", "null", "\"x\"", "{\"consent\":", "nul"]
    )
    func refusesOtherJSON(text: String) {
        #expect(throws: (any Error).self) { try JSONDecoder().decode(Registration.self, from: Data(text.utf8)) }
    }

    @Test("An error never repeats a value") func hidesValues() {
        let secret = "c0ffee-not-hexadecimal"
        let json = #"{"token":"\#(secret)","consent":{"notifications":true}}"#
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Registration.self, from: Data(json.utf8))
        }

        #expect(error.map { "\(FieldError($0))".contains(secret) } == false)
    }
}
