import NIOCore
import Testing

@testable import CarillonServer

struct ConnectionDeadlinesTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private func deadlines(_ change: (inout ConnectionLimits) -> Void = { _ in }) -> ConnectionDeadlines {
        var limits = ConnectionLimits()
        (limits.requestTime, limits.answerTime, limits.leastRate) = (.seconds(60), .seconds(40), 1_000)
        (limits.restTime, limits.restSize) = (.seconds(5), 2_000)
        change(&limits)
        return ConnectionDeadlines(limits)
    }

    @Test("S1-M3 A body that arrives byte by byte ends its connection, at any frequency")
    func bodyByBytes() {
        var deadlines = deadlines()
        deadlines.beginWaiting(now: start)
        deadlines.receiveHead(declaredSize: 65_536, now: start)

        for second in 1...59 {
            let now = start + .seconds(Int64(second))
            #expect(deadlines.receiveBody(size: 1) == nil)
            deadlines.endWaiting(now: now)
            deadlines.beginWaiting(now: now)
            #expect(deadlines.violation(at: now) == nil)
        }

        // 59 bytes are worth 59 milliseconds.
        #expect(deadlines.deadline == start + .milliseconds(60_059))
        #expect(deadlines.violation(at: start + .milliseconds(60_058)) == nil)
        #expect(deadlines.violation(at: start + .milliseconds(60_059)) == .slowRequest)
    }

    @Test("S1-M3 A body at the minimum rate may take any time")
    func steadyBody() {
        var deadlines = deadlines()
        deadlines.beginWaiting(now: start)
        deadlines.receiveHead(declaredSize: nil, now: start)

        for second in 1...10_000 {
            let now = start + .seconds(Int64(second))
            _ = deadlines.receiveBody(size: 1_000)
            deadlines.endWaiting(now: now)
            deadlines.beginWaiting(now: now)
            #expect(deadlines.violation(at: now) == nil)
        }
    }

    @Test("S1-M3 The time in which the server does not want to read does not count")
    func slowServer() {
        var deadlines = deadlines()
        deadlines.beginWaiting(now: start)
        deadlines.receiveHead(declaredSize: nil, now: start)
        deadlines.endWaiting(now: start + .seconds(10))

        #expect(deadlines.deadline == nil)
        #expect(deadlines.violation(at: start + .hours(5)) == nil)

        deadlines.beginWaiting(now: start + .hours(5))
        #expect(deadlines.deadline == start + .hours(5) + .seconds(50))
    }

    @Test("S1-M3 Between requests, and while a response is prepared, there is no deadline")
    func quiet() {
        var deadlines = deadlines()
        deadlines.beginWaiting(now: start)
        #expect(deadlines.deadline == nil)
        deadlines.receiveHead(declaredSize: nil, now: start)
        #expect(deadlines.deadline != nil)
        deadlines.receiveEnd()
        #expect(deadlines.deadline == nil)
        #expect(deadlines.sendHead() == false)
        deadlines.sendBody(size: 100)
        deadlines.sendEnd(now: start)
        #expect(deadlines.deadline == nil)
    }

    @Test("S1-M3 The rest of an answered request is read for a limited time and size")
    func rest() {
        var deadlines = deadlines()
        deadlines.beginWaiting(now: start)
        deadlines.receiveHead(declaredSize: 1_500, now: start)
        #expect(deadlines.sendHead() == false, "So little is read, and the connection can be used again.")
        deadlines.sendEnd(now: start + .seconds(1))

        #expect(deadlines.deadline == start + .seconds(6))
        #expect(deadlines.violation(at: start + .seconds(6)) == .restTooLong)
        #expect(deadlines.receiveBody(size: 2_000) == nil)
        #expect(deadlines.receiveBody(size: 1) == .restTooLong)
    }

    @Test(
        "S1-M3 An early response announces the end of its connection when the rest exceeds the limit",
        arguments: [
            (Int?.none, true), (2_100, false), (2_101, true),
        ]
    )
    func announcesEnd(_ size: Int?, _ isAnnounced: Bool) {
        var deadlines = deadlines()
        deadlines.receiveHead(declaredSize: size, now: start)
        _ = deadlines.receiveBody(size: 100)
        #expect(deadlines.sendHead() == isAnnounced)
    }

    @Test("S1-M3 A response to an earlier request is not an early one")
    func pipelinedAnswer() {
        var deadlines = deadlines()
        deadlines.receiveHead(declaredSize: 0, now: start)
        deadlines.receiveEnd()
        deadlines.receiveHead(declaredSize: 60_000, now: start)
        deadlines.beginWaiting(now: start)

        #expect(deadlines.sendHead() == false)
        deadlines.sendEnd(now: start)

        #expect(deadlines.deadline == start + .seconds(60))
    }

    @Test("S1-M3 A response that is not read ends its connection; reading extends the deadline")
    func unreadAnswer() {
        var deadlines = deadlines()
        deadlines.receiveHead(declaredSize: nil, now: start)
        deadlines.receiveEnd()
        _ = deadlines.sendHead()
        deadlines.sendBody(size: 200_000)
        deadlines.changeWritability(false, now: start)
        deadlines.sendEnd(now: start)

        let allowed = TimeAmount.seconds(40) + .milliseconds(265_536)
        #expect(deadlines.deadline == start + allowed)
        #expect(deadlines.violation(at: start + allowed) == .unreadAnswer)

        deadlines.changeWritability(true, now: start + .seconds(300))
        #expect(deadlines.deadline == nil)
        deadlines.changeWritability(false, now: start + .seconds(400))
        #expect(deadlines.deadline == start + .seconds(440) + .milliseconds(65_536))
    }
}
