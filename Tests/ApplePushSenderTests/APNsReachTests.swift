import ApplePush
import ApplePushConnection
import CarillonModel
import Testing

@testable import ApplePushSender

struct APNsReachTests {
    @Test("S1-operators-2 APNs counts as unreachable from a batch without an answer to the next one with an answer")
    func unreachable() {
        let reach = APNsReach()
        func record(_ second: Int64, _ outcomes: [Outcome]) { reach.record(outcomes, at: Timestamp(rawValue: second)) }
        #expect(reach.unreachableSince == nil)
        record(1, [.notSent(.noConnection), .unknown(.connectionLost)])
        record(2, [.notSent(.noConnection)])
        record(3, [])
        #expect(reach.unreachableSince == Timestamp(rawValue: 1))

        record(4, [.notSent(.noConnection), .rejected(Rejection(.badDeviceToken, status: 400))])

        #expect(reach.unreachableSince == nil)
        record(5, [.notSent(.noConnection)])
        #expect(reach.unreachableSince == Timestamp(rawValue: 5))
    }
}
