import Carillon
import CarillonModel
import Foundation
import Testing

@Suite("The registration's state on disk")
struct RegistrationMemoryTests {
    private typealias Intent = RegistrationMachine.Intent
    private typealias Confirmation = RegistrationMachine.Confirmation
    private typealias Memory = RegistrationMachine.Memory

    private static let confirmation = Confirmation(
        Registration(token: Sample.token(), consent: Sample.consent),
        nil,
        at: Timestamp("2026-11-21T12:00:00Z")!,
        jitter: 0.5
    )

    /// An earlier SDK's flags, and the intent that they become, given what was confirmed.
    ///
    /// The flags: wanted, leaving, may be known (`1`), silent (`s`), what is erased (`d`, `u`); `-` is false or missing,
    /// `*` either.
    private static let table: [(flags: String, intent: @Sendable (Confirmation?) -> Intent)] = [
        ("--***", { _ in .none }),
        ("-1-**", { _ in .none }),
        ("1---*", { _ in .registered(.unsent) }),
        ("11--*", { _ in .registered(.unsent) }),
        ("1--s*", { _ in .introduced(.unsent) }),
        ("11-s*", { _ in .introduced(.unsent) }),
        ("1-1-*", { .registered($0.map { .confirmed($0) } ?? .unconfirmed(last: nil)) }),
        ("1-1s*", { .introduced($0.map { .confirmed($0) } ?? .unconfirmed(last: nil)) }),
        ("-11--", { .leaving($0) }),
        ("-11s-", { _ in .leaving(nil) }),
        ("-11-d", { .erasing(.device, $0, then: nil) }),
        ("-11-u", { .erasing(.user, $0, then: nil) }),
        ("-11sd", { _ in .erasing(.device, nil, then: nil) }),
        ("-11su", { _ in .erasing(.user, nil, then: nil) }),
        ("111-d", { .erasing(.device, $0, then: .registered) }),
        ("111-u", { .erasing(.user, $0, then: .registered) }),
        ("111sd", { _ in .erasing(.device, nil, then: .introduced) }),
        ("111su", { _ in .erasing(.user, nil, then: .introduced) }),
        // No SDK wrote these: registering took leaving back.
        ("111--", { .registered($0.map { .confirmed($0) } ?? .unconfirmed(last: nil)) }),
        ("111s-", { .introduced($0.map { .confirmed($0) } ?? .unconfirmed(last: nil)) }),
    ]

    private static let combinations: [String] = ["-", "1"].flatMap { wanted in
        ["-", "1"].flatMap { leaving in
            ["-", "1"].flatMap { known in
                ["-", "s"].flatMap { silent in
                    ["-", "d", "u"].map { wanted + leaving + known + silent + $0 }
                }
            }
        }
    }

    private static func matches(_ row: String, _ flags: String) -> Bool {
        zip(row, flags).allSatisfy { $0 == "*" || $0 == $1 }
    }

    /// What an earlier SDK wrote for the flags.
    private func written(_ flags: String, _ confirmed: Confirmation?, silentIsMissing: Bool) throws -> Data {
        let flags = Array(flags)
        var fields: [String: Any] = [
            "registration": ["consent": ["notifications": false], "pushType": "apns"],
            "isWanted": flags[0] == "1", "isLeaving": flags[1] == "1", "mayBeKnown": flags[2] == "1",
        ]
        if flags[3] == "s" || !silentIsMissing { fields["isSilent"] = flags[3] == "s" }
        if flags[4] != "-" { fields["forgetting"] = flags[4] == "d" ? "device" : "user" }
        if let confirmed {
            let written = try JSONSerialization.jsonObject(with: JSONEncoder().encode(confirmed)) as? [String: Any]
            fields["confirmed"] = written?["registration"]
            fields["confirmedAt"] = written?["at"]
            fields["refreshAt"] = written?["refreshAt"]
            fields["record"] = ["tokenState": "in words of another SDK"]
        }
        return try JSONSerialization.data(withJSONObject: fields)
    }

    @Test("Each combination of an earlier SDK's flags is read as its state") func readsEarlierFlags() throws {
        for flags in Self.combinations {
            let rows = Self.table.filter { Self.matches($0.flags, flags) }
            try #require(rows.count == 1, "\(flags)")
            for confirmed in [nil, Self.confirmation] where confirmed == nil || Array(flags)[2] == "1" {
                for silentIsMissing in [false, true] {
                    let data = try written(flags, confirmed, silentIsMissing: silentIsMissing)
                    let memory = try JSONDecoder().decode(Memory.self, from: data)
                    #expect(memory.intent == rows[0].intent(confirmed), "\(flags)")
                }
            }
        }
    }

    @Test("An earlier SDK's confirmation without times does not count") func ignoresConfirmationsWithoutTimes() throws {
        let text = """
            {"registration":{"consent":{"notifications":true},"pushType":"apns"},"isWanted":true,"isLeaving":false,\
            "mayBeKnown":true,"confirmed":{"consent":{"notifications":true},"pushType":"apns"}}
            """
        let memory = try JSONDecoder().decode(Memory.self, from: Data(text.utf8))

        #expect(memory.intent == .registered(.unconfirmed(last: nil)))
        #expect(memory.registration.consent.notifications)
    }

    @Test(
        "The format on disk stays the same",
        arguments: [
            (RegistrationMachine.Intent.none, #"{"none":{}}"#),
            (.introduced(.unsent), #"{"introduced":{"_0":{"unsent":{}}}}"#),
            (.registered(.unconfirmed(last: nil)), #"{"registered":{"_0":{"unconfirmed":{}}}}"#),
            (.leaving(nil), #"{"leaving":{}}"#),
            (.erasing(.user, nil, then: .introduced), #"{"erasing":{"_0":"user","then":"introduced"}}"#),
        ]
    )
    func keepsTheFormat(intent: RegistrationMachine.Intent, text: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys

        #expect(String(decoding: try encoder.encode(intent), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode(Intent.self, from: Data(text.utf8)) == intent)
    }

    @Test("Every state is the same after encoding and decoding") func encodesStates() throws {
        for row in Self.table {
            for confirmed in [nil, Self.confirmation] {
                var memory = Memory()
                memory.device = DeviceID(rawValue: UUID())
                memory.intent = row.intent(confirmed)
                #expect(try JSONDecoder().decode(Memory.self, from: JSONEncoder().encode(memory)) == memory)
            }
        }
    }

    @Test("A record with another SDK's values is left out, and the confirmation counts")
    func omitsUnknownRecords() throws {
        let data = try JSONEncoder().encode(Self.confirmation)
        var fields = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        fields["record"] = ["tokenState": "resting"]
        let changed = try JSONSerialization.data(withJSONObject: fields)

        #expect(try JSONDecoder().decode(Confirmation.self, from: changed) == Self.confirmation)
    }
}
