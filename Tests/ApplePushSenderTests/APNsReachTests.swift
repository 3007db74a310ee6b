import ApplePush
import ApplePushConnection
import CarillonModel
import Testing

@testable import ApplePushSender

struct APNsReachTests {
    @Test("S1-operators-2 APNs counts as away from the first batch without an answer to the next with one")
    func unreachable() {
        let reach = APNsReach()
        func note(_ second: Int64, _ outcomes: [Outcome]) { reach.note(outcomes, at: Timestamp(rawValue: second)) }
        #expect(reach.unreachableSince == nil)
        note(1, [.notSent(.noConnection), .unknown(.connectionLost)])
        note(2, [.notSent(.noConnection)])
        note(3, [])
        #expect(reach.unreachableSince == Timestamp(rawValue: 1))

        note(4, [.notSent(.noConnection), .rejected(Rejection(.badDeviceToken, status: 400))])

        #expect(reach.unreachableSince == nil)
        note(5, [.notSent(.noConnection)])
        #expect(reach.unreachableSince == Timestamp(rawValue: 5))
    }
}
