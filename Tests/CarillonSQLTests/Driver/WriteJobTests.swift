import Testing

@testable import CarillonSQL

/// Postponed writes, as plain values.
@Suite struct PostponedWritesTests {
    private let start = ContinuousClock.now

    @Test("A write is returned once, when it is due") func returnsDueWrites() {
        var writes = PostponedWrites<String>()
        writes.append("late", failures: 1, ready: start + .seconds(2))
        writes.append("soon", failures: 1, ready: start + .seconds(1))

        #expect(writes.nextTime == start + .seconds(1))
        #expect(writes.popFirst(at: start) == nil)
        #expect(writes.popFirst(at: start + .seconds(1)) == "soon")
        #expect(writes.nextTime == start + .seconds(2))
        #expect(writes.popFirst(at: start + .seconds(1)) == nil)
        #expect(writes.popFirst(at: start + .seconds(3)) == "late")
        #expect(writes.isEmpty)
        #expect(writes.nextTime == nil)
    }

    @Test("Of many due writes the one with the fewest failures goes first") func fewestFailuresFirst() {
        var writes = PostponedWrites<Int>()
        for number in 0..<100 { writes.append(number, failures: 5, ready: start + .milliseconds(number)) }
        writes.append(200, failures: 2, ready: start + .milliseconds(300))
        writes.append(300, failures: 1, ready: start + .seconds(100))

        #expect(writes.popFirst(at: start + .seconds(1)) == 200)
        #expect(writes.popFirst(at: start + .seconds(1)) == 0)
        #expect(writes.popFirst(at: start + .seconds(1)) == 1)
    }

    @Test("Expired writes are removed, wherever they are") func removesExpiredWrites() {
        var writes = PostponedWrites<Int>()
        for number in 0..<10 { writes.append(number, failures: 1, ready: start + .seconds(number)) }

        let removed = writes.remove { $0 < 3 || $0 == 7 }
        #expect(removed.sorted() == [0, 1, 2, 7])
        let again = writes.remove { $0 == 7 }
        #expect(again == [])
        #expect(writes.count == 6)
        #expect(writes.nextTime == start + .seconds(3))
    }

    @Test("Pauses and lock times grow and are bounded") func boundsPauses() {
        for failures in 1...40 {
            let shortest = WriteRetry.pause(after: failures, share: 0)
            let longest = WriteRetry.pause(after: failures, share: 1)
            #expect(shortest > .zero && shortest < longest && longest <= .milliseconds(400))
            let time = WriteRetry.lockTime(after: failures, waiting: 0)
            #expect(time >= .milliseconds(100) && time <= .milliseconds(400))
            #expect(WriteRetry.lockTime(after: failures, waiting: 9) == .milliseconds(10))
        }
        #expect(WriteRetry.pause(after: 1, share: 1) < WriteRetry.pause(after: 4, share: 1))
    }

    @Test("Expired writes at the head of a queue are removed") func removesExpiredHeads() {
        var queue = WriteQueue<Int>(capacity: 10)
        for number in 1...4 { _ = queue.append(number, priority: .serving) }
        for number in 11...13 { _ = queue.append(number, priority: .bulk) }

        let removed = queue.removeFirst { $0 < 3 || $0 == 11 }
        #expect(removed == [1, 2, 11])
        let next = queue.next(hasTime: true, isFirst: true)
        #expect(next == 3)
    }
}
