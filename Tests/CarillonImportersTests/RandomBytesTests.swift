import CarillonImporters
import CarillonModel
import Testing

/// Properties of all readers, on bytes from a seeded generator.
@Suite struct RandomBytesTests {
    /// SplitMix64: the same numbers in every run.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
    }

    /// Pieces that files are made of, good and bad.
    private static let pieces: [String] = [
        "identifier,device_type,tags\n", "{", "}", "[", "]", "\"", "\\", ",", ":", "\n", "\r\n", "\r", "\0", "é",
        "null",
        "\"ChannelType\":\"APNS\"", "\"Address\":\"\(token(7))\"", "\"tk\":{\"ip\":\"\(token(8))\"}", token(1), ",0,",
        "0",
        "\"tokens\":[", "\"push_tokens\":[{\"platform\":\"iOS\",\"token\":\"\(token(2))\"}]", "\"_id\":\"x\"", "-10",
        "\"deviceType\":\"ios\"", "\"deviceToken\":\"\(token(3))\"", "\"device_type\":\"ios\"", "1.5e9", "<", ">", " ",
        "\"User\":{\"UserId\":\"u\"}", "\"pushType\":\"APNS\"", "\"token\":\"\(token(5))\"", "\u{FEFF}", "zh_Hant_TW",
    ]

    private func bytes(_ generator: inout Generator) -> [UInt8] {
        let isText = Bool.random(using: &generator)
        let count = Int.random(in: 0...120, using: &generator)
        guard isText else { return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) } }
        let text = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
        return Bool.random(using: &generator) ? gzipped(text.utf8) : Array(text.utf8)
    }

    private func readings(_ bytes: [UInt8], _ partSizes: [Int]) -> [[String]] {
        func words(_ format: some SourceFormat) -> [String] {
            let reading = Reading(format, bytes, partSizes: partSizes)
            return reading.words + [reading.failure.map { "\($0)" } ?? "whole"]
        }
        let some = options(environment: .apns, consent: true)
        return [
            words(OneSignalFormat(some)), words(PinpointFormat(some)), words(ToastFormat(some)),
            words(CorePushFormat(some)), words(AirshipFormat(some)), words(BrazeFormat(some)), words(ParseFormat(some)),
            words(CountlyFormat(some)), words(TokensFormat(some)),
        ]
    }

    @Test("Random bytes crash no reader, and any split of them gives the same records", arguments: 0..<40)
    func readsAnyBytes(_ seed: UInt64) {
        var generator = Generator(state: seed)
        for _ in 0..<25 {
            let bytes = bytes(&generator)
            let sizes = (0..<5).map { _ in Int.random(in: 1...9, using: &generator) }

            let whole = readings(bytes, [1 << 20])

            #expect(readings(bytes, [1]) == whole)
            #expect(readings(bytes, sizes) == whole)
        }
    }

    private func claims(_ bytes: [UInt8], isSurvey: Bool) -> [[TokenClaim?]] {
        func claims(_ format: some SourceFormat) -> [TokenClaim?] {
            Reading(format, bytes, isSurvey: isSurvey).fates.map(\.tokenClaim)
        }
        let some = options(environment: .apns, consent: true)
        return [
            claims(OneSignalFormat(some)), claims(PinpointFormat(some)), claims(ToastFormat(some)),
            claims(CorePushFormat(some)), claims(AirshipFormat(some)), claims(BrazeFormat(some)),
            claims(ParseFormat(some)), claims(TokensFormat(some)),
        ]
    }

    @Test("Both readings of random bytes claim the same tokens, row by row", arguments: 0..<40)
    func claimsTheSame(_ seed: UInt64) {
        var generator = Generator(state: seed)
        for _ in 0..<25 {
            let header = Bool.random(using: &generator) ? Array("identifier,device_type,tags\n".utf8) : []
            let bytes = header + bytes(&generator)

            #expect(claims(bytes, isSurvey: true) == claims(bytes, isSurvey: false))
        }
    }
}
