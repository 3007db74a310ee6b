import ArgumentParser
import CarillonOperatorModel
import Testing

@testable import CarillonCommand

/// What `carillon audiences` shows.
struct AudiencesCommandTests {
    @Test("An invalid rule is shown with a mark under the error")
    func marksPlaces() throws {
        let text = "hasUser\n and colour = red"
        let error = #expect(throws: AudienceTextError.self) { _ = try AudienceRule(text: text) }
        let lines = AudiencesCommand.mark(try #require(error), in: text).split(separator: "\n")
        #expect(lines[0] == "line 2, column 6: expected a condition, as tag:, language or attribute.age")
        #expect(lines[1] == "   and colour = red")
        #expect(lines[2] == "       ^")
    }

    @Test("An estimate states whether it was counted or sampled")
    func showsEstimates() {
        let reach = AudienceEstimate.Reach(notifications: 3, ads: 2, nightAds: 1, voip: 0)
        var estimate = AudienceEstimate(isExact: true, devices: 5, margin: 0, reach: reach, languages: [:])
        #expect(
            estimate.lines == [
                "5 devices", "  a notification reaches 3", "  an ad 2, at night 1", "  a call 0",
            ]
        )
        estimate.isExact = false
        estimate.margin = 2
        #expect(estimate.lines[0] == "about 5 devices (give or take 2)")
    }

    @Test("A reach is shown from those that match to those that get it")
    func showsReach() {
        var estimate = ReachEstimate()
        (estimate.matched, estimate.reach, estimate.users) = (5, 3, 2)
        estimate.skipped = [ReachEstimate.Part(reason: "NoToken", devices: 2)]
        estimate.deferred = [ReachEstimate.Part(reason: "NightAd", devices: 1)]
        (estimate.languages, estimate.zones) = (["ja": 1, "": 2], ["Asia/Tokyo": 3])
        #expect(
            estimate.lines == [
                "5 devices match", "  - 2 NoToken", "3 devices of 2 users get it", "  1 later: NightAd", "  2 unknown",
                "  1 ja", "  3 Asia/Tokyo",
            ]
        )
        estimate.isExact = false
        #expect(estimate.lines[0] == "about 5 devices match")
    }

    @Test("The commands parse as documented in their help")
    func parses() throws {
        _ = try AudiencesCommand.parseAsRoot(["create", "Japan", "language = ja", "--app", "app_0fk2m9q3tw7x"])
        _ = try AudiencesCommand.parseAsRoot(["estimate", "--saved", "aud_0fk2m9q3tw7x"])
        _ = try AudiencesCommand.parseAsRoot(["update", "aud_0fk2m9q3tw7x", "--rule", "hasUser"])
        #expect(throws: (any Error).self) { try AudiencesCommand.parseAsRoot(["create", "Japan"]) }
    }
}
