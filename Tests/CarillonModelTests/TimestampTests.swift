import CarillonModel
import Foundation
import Testing

struct TimestampTests {
    @Test("A time round-trips", arguments: 0..<4)
    func roundTrips(_ seed: Int) {
        for step in 0..<2_500 {
            // A stride that is prime to all units of time visits every kind of millisecond.
            let timestamp = Timestamp(rawValue: Int64(seed * 2_500 + step) * 25_340_230_079 % 253_402_300_800_000)
            #expect(Timestamp(timestamp.description) == timestamp)
        }
    }

    @Test("Whole seconds are encoded as by Foundation", arguments: 0..<4)
    func agreesWithFoundation(_ seed: Int) {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for step in 0..<1_000 {
            let timestamp = Timestamp(rawValue: Int64(seed * 1_000 + step) * 63_350_575_199 / 1_000 * 1_000)
            #expect(timestamp.description == timestamp.date.formatted(style))
        }
    }

    @Test(
        "Every form of RFC 3339 is parsed",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-11-21T08:44:00.120Z", 1_795_250_640_120),
            ("2026-11-21T08:44:00.1209Z", 1_795_250_640_120), ("2026-11-21t08:44:00.12z", 1_795_250_640_120),
            ("2026-11-21T17:44:00+09:00", 1_795_250_640_000), ("2026-11-21T04:14:00-04:30", 1_795_250_640_000),
            ("2000-02-29T23:59:59.999Z", 951_868_799_999), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
            ("1969-12-31T23:00:00-01:00", 0),
        ]
    )
    func readsForms(_ text: String, _ milliseconds: Int64) {
        #expect(Timestamp(text)?.rawValue == milliseconds)
    }

    @Test(
        "Times outside of 1970 through 9999 are refused",
        arguments: [
            "", "now", "2026-11-21", "2026-11-21T08:44:00", "2026-11-21 08:44:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
            "2026-11-21T24:00:00Z", "2026-11-21T08:60:00Z", "2026-11-21T08:44:60Z", "2026-11-21T08:44:00.Z",
            "2026-11-21T08:44:00+24:00", "2026-11-21T08:44:00+0900", "1969-12-31T23:59:59Z", "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59-01:00", "2026-11-21T08:44:00Z ", "+026-11-21T08:44:00Z",
            "2026-11-21T08:44:00.\(String(repeating: "1", count: 30))Z",
        ]
    )
    func refusesOthers(_ text: String) {
        #expect(Timestamp(text) == nil)
    }
}
