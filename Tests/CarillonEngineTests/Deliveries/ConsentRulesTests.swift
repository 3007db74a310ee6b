import CarillonEngine
import CarillonModel
import Foundation
import Testing

struct ConsentRulesTests {
    private static let day = Night(isNow: false, nextStart: Timestamp(rawValue: 1))
    private static let night = Night(isNow: true, nextStart: Timestamp(rawValue: 1))

    @Test("Consent to notifications is checked first") func checksNotificationsFirst() {
        #expect(ConsentRules.skip([], isAd: false, night: Self.day) == .noConsent)
        #expect(ConsentRules.skip([.ads, .nightAds], isAd: true, night: Self.day) == .noConsent)
        #expect(ConsentRules.skip(.notifications, isAd: false, night: Self.night) == nil)
    }

    @Test("Ads need consent to ads") func checksAds() {
        #expect(ConsentRules.skip(.notifications, isAd: true, night: Self.day) == .noAdConsent)
        #expect(ConsentRules.skip([.notifications, .ads], isAd: true, night: Self.day) == nil)
    }

    @Test("Ads at night need consent to ads at night") func checksNightAds() {
        #expect(ConsentRules.skip([.notifications, .ads], isAd: true, night: Self.night) == .nightAd)
        #expect(ConsentRules.skip([.notifications, .ads], isAd: true, night: nil) == .unknownTimeZone)
        #expect(ConsentRules.skip([.notifications, .ads, .nightAds], isAd: true, night: Self.night) == nil)
        #expect(ConsentRules.skip([.notifications, .ads, .nightAds], isAd: true, night: nil) == nil)
    }
}

struct NightTests {
    private func night(_ zone: String, _ time: String) throws -> Night {
        Night(in: try #require(TimeZone(identifier: zone)), at: try #require(Timestamp(time)))
    }

    @Test(
        "The night begins at 21:00, included, and ends at 08:00, excluded",
        arguments: [
            ("2026-03-01T20:59:59+09:00", false), ("2026-03-01T21:00:00+09:00", true),
            ("2026-03-02T07:59:59+09:00", true), ("2026-03-02T08:00:00+09:00", false),
        ]
    )
    func nightBounds(_ time: String, _ isNight: Bool) throws {
        #expect(try night("Asia/Seoul", time).isNow == isNight)
    }

    @Test("The next night is found") func findsTheNextNight() throws {
        let today = Timestamp("2026-03-01T21:00:00+09:00")
        #expect(try night("Asia/Seoul", "2026-03-01T20:59:59+09:00").nextStart == today)
        #expect(try night("Asia/Seoul", "2026-03-01T03:00:00+09:00").nextStart == today)
        let tomorrow = Timestamp("2026-03-02T21:00:00+09:00")
        #expect(try night("Asia/Seoul", "2026-03-01T21:00:00+09:00").nextStart == tomorrow)
    }

    @Test("Nights follow local time over daylight saving changes") func followsDaylightSaving() throws {
        // New York goes from -05:00 to -04:00 at 2026-03-08 02:00.
        let spring = try night("America/New_York", "2026-03-07T22:00:00-05:00")
        #expect(
            spring
                == Night(
                    isNow: true,
                    nextStart: Timestamp("2026-03-08T21:00:00-04:00")!,
                    end: Timestamp("2026-03-08T08:00:00-04:00")!
                )
        )
        #expect(try night("America/New_York", "2026-03-08T07:59:59-04:00").isNow)
        #expect(try !night("America/New_York", "2026-03-08T08:00:00-04:00").isNow)
        let autumn = try night("America/New_York", "2026-10-31T20:00:00-04:00")
        let evening = Timestamp("2026-10-31T20:00:00-04:00")!
        #expect(
            autumn == Night(isNow: false, nextStart: Timestamp("2026-10-31T21:00:00-04:00")!, end: evening)
        )
        #expect(
            try night("America/New_York", "2026-11-01T08:00:00-05:00").nextStart
                == Timestamp("2026-11-01T21:00:00-05:00")
        )
    }

    /// Compared with a search by seconds around every change of an offset, and by minutes elsewhere.
    @Test("The first instant of the night is found in every zone") func findsNightsInEveryZone() throws {
        for name in TimeZone.knownTimeZoneIdentifiers {
            let zone = try #require(TimeZone(identifier: name))
            for start in Self.interestingSeconds(of: zone) {
                let night = Night(in: zone, at: Timestamp(rawValue: 1000 * start))
                #expect(night.isNow == Self.isNight(start, zone), "\(name) at \(start)")
                let next = night.nextStart.rawValue / 1000
                #expect(Self.isNight(next, zone) && !Self.isNight(next - 1, zone), "\(name) at \(start)")
                #expect(next > start && next - start < 36 * 3600, "\(name) at \(start)")
                // Between now, or the end of this night, and the next night there is no other one.
                var changes = 0
                for second in stride(from: start, to: next, by: 300)
                where Self.isNight(second, zone) != Self.isNight(min(second + 300, next), zone) { changes += 1 }
                #expect(changes == (night.isNow ? 2 : 1), "\(name) at \(start)")
            }
        }
    }

    private static func interestingSeconds(of zone: TimeZone) -> [Int64] {
        let begin = 1_767_225_600  // 2026-01-01
        var seconds: [Int64] = []
        var last = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(begin)))
        for day in 1...366 {
            let second = begin + day * 86_400
            let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
            if offset != last || day == 200 {
                seconds += stride(from: second - 2 * 86_400, to: second + 86_400, by: 3 * 3600 + 1_777).map(Int64.init)
            }
            last = offset
        }
        return seconds
    }

    private static func isNight(_ second: Int64, _ zone: TimeZone) -> Bool {
        let local = second + Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))))
        let hour = (local % 86_400) / 3600
        return hour >= 21 || hour < 8
    }
}

struct ZoneNightsTests {
    @Test("An unknown zone has no night") func ignoresUnknownZones() {
        let nights = ZoneNights()
        let now = Timestamp(rawValue: 0)

        #expect(nights.night(in: nil, at: now) == nil)
        #expect(nights.night(in: "Mars/Olympus_Mons", at: now) == nil)
        #expect(nights.night(in: "Asia/Tokyo", at: now) != nil)
    }
}
