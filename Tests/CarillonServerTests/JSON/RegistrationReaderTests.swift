import CarillonModel
import CarillonServer
import Foundation
import Testing

struct RegistrationReaderTests {
    private static let words = [
        "\"x\"", "\"ja\"", "\"JPN\"", "\"\"", "\"\\u0041b\"", "\"é\"", "null", "1",
        "\"\(String(repeating: "a", count: 64))\"",
        "\"\(String(repeating: "a", count: 65))\"", "\"a\\\"b\"", "\"a b\"", "\"\u{7F}\"",
    ]
    private static let flags = ["true", "false", "true", "false", "null", "\"true\"", "1"]

    private static let categories = [
        "[]", "[\"1\"]", "[\"1\",\"22\"]", "{}", "{\"a\":[\"b\"],\"c\":[]}", "[\"\"]", "[1]", "\"1\"", "{\"a\":\"b\"}",
        "null",
        "[\"\(String(repeating: "x", count: 65))\"]", "{\"a\":[],\"a\":[]}", "{\"\":[]}", "[\"é\"]",
        "[\((0...100).map { "\"\($0)\"" }.joined(separator: ","))]", "[\"1\",]",
        "{\((0...20).map { "\"\($0)\":[]" }.joined(separator: ","))}",
    ]
    private static let degrees = [
        "0", "-0", "90", "-90.0", "35.658581", "0.1", "91", "-180", "179.99999999999999", "01", "1.", ".5", "1e1", "-",
        "1E-2", "\"1\"", "null", "180.0000000000001", "123456789012345678901234567890", "-0.0000000000000000000001",
    ]

    private static func place(_ random: inout RandomJSON) -> String {
        random.object(
            [
                ("latitude", degrees), ("longitude", degrees),
                ("at", ["\"2026-11-21T08:44:00.120Z\"", "\"2026-11-21T17:44:00+09:00\"", "\"now\"", "1"]),
            ],
            leaving: 5
        )
    }

    private static func body(_ random: inout RandomJSON) -> String {
        let consent = random.object(
            [("notifications", flags), ("ads", flags), ("nightAds", flags)],
            leaving: 5
        )
        return random.object(
            [
                (
                    "token",
                    ["\"00112233445566aa\"", "\"00112233445566AA\"", "\"0g\"", "\"001\"", "\"00112233\"", "null"]
                ),
                ("pushType", ["\"apns\"", "\"apns_sandbox\"", "\"fcm\"", "\"apns_voip\""]),
                ("user", words), ("userProof", ["null", "{\"expires\":1,\"signature\":\"x\"}"]),
                ("consent", [consent, consent, consent, "{}", "null", "true"]),
                ("permission", ["\"authorized\"", "\"denied\"", "\"maybe\""]), ("language", words), ("country", words),
                ("timeZone", words), ("appVersion", words), ("osVersion", words), ("model", words),
                ("sdkVersion", words), ("categories", categories),
                ("location", [place(&random), place(&random), "{}"]),
            ],
            leaving: 60
        )
    }

    @Test("The fast path accepts only what the strict decoder accepts, with the same value", arguments: 0..<8)
    func agreesWithStrictReading(_ seed: UInt64) throws {
        var random = RandomJSON(seed: seed)
        var quick = 0
        for _ in 0..<2_000 {
            let bytes = random.damaged(Self.body(&random))
            guard let registration = RegistrationReader.plain(bytes) else { continue }
            quick += 1
            #expect(try JSONBody.decode(Registration.self, from: bytes) == registration)
        }
        #expect(quick > 20, "the generator must make bodies that are read quickly")
    }

    @Test(
        "The SDK's registrations are read on the fast path",
        arguments: [nil, .list(["1", "4"]), .dimensions(["1": ["A", "B"], "4": []])] as [DeviceCategories?]
    )
    func readsUsualBodyQuickly(_ categories: DeviceCategories?) throws {
        var registration = Registration(
            token: DeviceToken(hexadecimal: String(repeating: "0a", count: 32)),
            pushType: .apnsSandbox,
            consent: Consent(notifications: true, ads: true)
        )
        registration.user = UserID(rawValue: "u-1")
        registration.permission = .authorized
        registration.language = "zh-Hant-TW"
        registration.country = "TW"
        registration.timeZone = "Asia/Taipei"
        registration.appVersion = "1.2.3"
        registration.osVersion = "iOS 17.4"
        registration.model = "iPhone15,3"
        registration.sdkVersion = "1.0.0"
        registration.categories = categories
        registration.location = DeviceLocation(
            latitude: 35.658581,
            longitude: -139.745433,
            at: Timestamp(rawValue: 1_795_250_640_120)
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes

        let read = RegistrationReader.plain(Array(try encoder.encode(registration)))

        #expect(read == registration)
    }

    @Test("An invalid field is named in the response")
    func namesField() {
        #expect(throws: Problem.invalidField(FieldError(field: "consent.notifications", problem: "is required"))) {
            try RegistrationReader.read(Array("{\"consent\":{}}".utf8))
        }
        #expect(throws: Problem.invalidField(FieldError(field: "colour", problem: "is not a known field"))) {
            try RegistrationReader.read(Array("{\"consent\":{\"notifications\":true},\"colour\":1}".utf8))
        }
    }
}
