import ApplePush
import Foundation
import Testing

struct PayloadObjectTests {
    /// A generator whose values repeat from run to run.
    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private static let hardTexts = [
        "", "a", "\"", "\\", "\\u0041", "\u{0}", "\u{1F}", "\u{7F}", "/", "é", "e\u{301}", "🔔", "👩‍👩‍👧", "\u{2028}",
        "\u{FEFF}", "null", "1e5", "\r\n\t\u{8}\u{C}",
    ]

    private func value(_ random: inout Random, depth: Int) -> PayloadValue {
        switch Int.random(in: 0..<(depth == 0 ? 5 : 7), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2:
            return .integer(
                [0, -1, .min, .max, .random(in: .min ... .max, using: &random)].randomElement(using: &random) ?? 0
            )
        case 3:
            let bits = Double(bitPattern: random.next())
            // Whole numbers are read as integers, and JSON has no infinities: neither comes back as what it was.
            return .number(bits.isFinite && Int64(exactly: bits) == nil ? bits : 0.5)
        case 4: return .string(Self.hardTexts.randomElement(using: &random) ?? "")
        case 5:
            return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random, depth: depth - 1) })
        default: return .object(object(&random, depth: depth - 1).members)
        }
    }

    private func object(_ random: inout Random, depth: Int) -> PayloadObject {
        PayloadObject(
            (0..<Int.random(in: 0...4, using: &random)).map { number in
                let key = (Self.hardTexts.randomElement(using: &random) ?? "") + String(number)
                return PayloadValue.Member(key, value(&random, depth: depth))
            }
        )
    }

    /// The same with members in the order of their keys, as they are read.
    private func sorted(_ value: PayloadValue) -> PayloadValue {
        switch value {
        case .array(let values): .array(values.map(sorted))
        case .object(let members):
            .object(members.map { .init($0.key, sorted($0.value)) }.sorted { $0.key < $1.key })
        default: value
        }
    }

    @Test("P-22 what is written as JSON is read back as what it was", arguments: 1...8)
    func roundTrip(seed: Int) throws {
        var random = Random(state: UInt64(seed))
        for _ in 0..<250 {
            let object = object(&random, depth: 4)
            let bytes = try EncodedPayload(object, limit: 1 << 20).bytes
            #expect(String(validating: bytes, as: UTF8.self) != nil && !bytes.contains { $0 < 0x20 })
            let read = try PayloadObject(json: bytes)
            #expect(PayloadValue.object(read.members) == sorted(.object(object.members)))
        }
    }

    @Test("Bytes that are no JSON, or JSON without measure, end in an error and in nothing else", arguments: 1...8)
    func garbage(seed: Int) {
        var random = Random(state: UInt64(seed))
        let alphabet = Array(#"{}[]":,\u0aez-+.9tfn "#.utf8) + [0xC3, 0xFF, 0]
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            if let object = try? PayloadObject(json: bytes) {
                #expect((try? EncodedPayload(object, limit: 1 << 20)) != nil)
            }
        }
        for deep in ["[", #"{"a":"#] {
            #expect(throws: PayloadObject.Problem.self) {
                try PayloadObject(json: String(repeating: deep, count: 200_000).utf8)
            }
        }
    }
}
