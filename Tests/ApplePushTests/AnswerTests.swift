import ApplePush
import Foundation
import Testing

struct AnswerTests {
    private func answer(_ status: Int, _ body: String) -> Answer {
        Answer(status: status, body: Array(body.utf8))
    }

    private func rejection(_ status: Int, _ body: String) -> Rejection? {
        guard case .rejected(let rejection) = answer(status, body) else { return nil }
        return rejection
    }

    @Test("P-24 200 is success, with the sandbox's unique id when there is one")
    func success() {
        #expect(answer(200, "") == .accepted(uniqueID: nil))
        #expect(Answer(status: 200, body: [], uniqueID: "77A1") == .accepted(uniqueID: "77A1"))
    }

    @Test(
        "P-25 every documented reason decodes to its constant",
        arguments: RejectionReason.documented + RejectionReason.documentedForBroadcasts
    )
    func documentedReasons(reason: RejectionReason) {
        #expect(rejection(400, #"{"reason":"\#(reason.rawValue)"}"#) == Rejection(reason, status: 400))
        #expect(rejection(400, #" { "reason" : "\#(reason.rawValue)" } "#) == Rejection(reason, status: 400))
    }

    @Test("P-25 the documented reasons are 32 different words, and broadcasts have ten more")
    func reasonsDiffer() {
        let all = RejectionReason.documented + RejectionReason.documentedForBroadcasts
        #expect(RejectionReason.documented.count == 32 && Set(all.map(\.rawValue)).count == 42)
    }

    @Test("P-25 an unknown reason is kept verbatim")
    func unknownReason() {
        #expect(rejection(499, #"{"reason":"SomethingNew"}"#)?.reason.rawValue == "SomethingNew")
        #expect(rejection(499, #"{"reason":"a\"b","x":[1]}"#)?.reason.rawValue == #"a"b"#)
    }

    @Test(
        "P-25 a missing or unreadable body keeps the status",
        arguments: [
            "", "{}", "null", "<html>", #"{"reason":7}"#, #"{"reason":"#, #"{"reason":"x"}}"#, "[\"reason\"]", "\u{0}",
        ]
    )
    func unreadableBody(body: String) {
        #expect(rejection(503, body) == Rejection(.unstated, status: 503))
    }

    @Test("P-25 bodies and reasons without measure are not kept")
    func boundedBody() {
        let long = String(repeating: "a", count: 65)
        let huge = #"{"pad":"\#(String(repeating: "a", count: 1100))","reason":"Shutdown"}"#

        #expect(rejection(503, #"{"reason":"\#(long)"}"#)?.reason == .unstated)
        #expect(rejection(503, huge)?.reason == .unstated)
    }

    @Test("P-26 the timestamp of a 410 is read as milliseconds")
    func timestamp() {
        let since = Date(timeIntervalSince1970: 1_709_251_200.123)
        let expected = Rejection(.unregistered, status: 410, tokenInvalidSince: since)

        #expect(rejection(410, #"{"reason":"Unregistered","timestamp":1709251200123}"#) == expected)
        #expect(rejection(410, #"{"timestamp": 1709251200123, "reason": "Unregistered"}"#) == expected)
    }

    @Test("P-26 a timestamp that makes no sense is left out, and no other status has one")
    func badTimestamps() {
        let texts = ["99999999999999999", "-1", "\"soon\"", "1e400", "9999999999999999999999"]
        for text in texts {
            let body = #"{"reason":"Unregistered","timestamp":\#(text)}"#
            #expect(rejection(410, body) == Rejection(.unregistered, status: 410), "\(text)")
        }
        #expect(
            rejection(400, #"{"reason":"BadTopic","timestamp":1709251200123}"#) == Rejection(.badTopic, status: 400)
        )
    }

    @Test("P-26 a registration goes only if it is older than the 410's timestamp, or of unknown age")
    func removal() {
        let since = Date(timeIntervalSince1970: 1000)
        let dead = Rejection(.unregistered, status: 410, tokenInvalidSince: since)

        #expect(dead.removes(registeredAt: since.addingTimeInterval(-1)))
        #expect(!dead.removes(registeredAt: since))
        #expect(!dead.removes(registeredAt: since.addingTimeInterval(1)))
        #expect(dead.removes(registeredAt: nil))
        #expect(Rejection(.expiredToken, status: 410).removes(registeredAt: since))
        #expect(!Rejection(.badDeviceToken, status: 400).removes(registeredAt: nil))
        #expect(!Rejection(.payloadTooLarge, status: 413).removes(registeredAt: nil))
    }

    @Test("P-25 the reason that Apple prints with a blank is the one without")
    func blank() {
        #expect(rejection(503, #"{"reason":"Service Unavailable"}"#)?.reason == .serviceUnavailable)
    }

    @Test("P-27 both spellings of the environment-key reason are one")
    func environmentKey() {
        #expect(rejection(403, #"{"reason":"BadEnvironmentKeyIdInToken"}"#)?.reason == .badEnvironmentKeyInToken)
        #expect(rejection(403, #"{"reason":"BadEnvironmentKeyInToken"}"#)?.reason == .badEnvironmentKeyInToken)
    }
}
