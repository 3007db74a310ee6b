import Testing

@testable import CarillonSQL

@Suite struct WriteQueueTests {
    @Test("Serving writes go first, each kind in order") func servingFirst() {
        var queue = WriteQueue<Int>(capacity: 10)
        for job in [10, 11] { _ = queue.append(job, priority: .bulk) }
        for job in [1, 2, 3] { _ = queue.append(job, priority: .serving) }

        let drained = drain(&queue)

        #expect(drained == [1, 2, 3, 10, 11])
        #expect(queue.isEmpty)
    }

    @Test("A transaction without time still runs its first write") func runsTheFirstWrite() {
        var queue = WriteQueue<Int>(capacity: 10)
        for job in [1, 2] { _ = queue.append(job, priority: .serving) }

        let first = queue.next(hasTime: false, isFirst: true)
        let second = queue.next(hasTime: false, isFirst: false)

        #expect(first == 1)
        #expect(second == nil)
    }

    @Test("A bulk write is skipped at most once") func skipsBulkOnce() {
        var queue = WriteQueue<Int>(capacity: 1_000)
        for job in 1...100 { _ = queue.append(job, priority: .serving) }
        for job in 1_001...1_010 { _ = queue.append(job, priority: .bulk) }

        var transactions: [[Int]] = []
        for _ in 0..<4 {
            var jobs: [Int] = []
            while let job = queue.next(hasTime: jobs.count < 3, isFirst: jobs.isEmpty) { jobs.append(job) }
            queue.endTransaction()
            transactions.append(jobs)
        }

        #expect(transactions == [[1, 2, 3], [4, 5, 6, 1_001], [7, 8, 9], [10, 11, 12, 1_002]])
    }

    @Test("Serving writes do not wait for a slow bulk write, except once in two transactions")
    func limitsSlowBulkWrites() {
        var queue = WriteQueue<Int>(capacity: 10)
        for job in [1_001, 1_002] { _ = queue.append(job, priority: .bulk) }

        var transactions: [[Int]] = []
        for serving in [1, 2, 3] {
            _ = queue.append(serving, priority: .serving)
            var jobs: [Int] = []
            while let job = queue.next(hasTime: true, hasTimeForBulk: false, isFirst: jobs.isEmpty) { jobs.append(job) }
            queue.endTransaction()
            transactions.append(jobs)
        }
        let alone = queue.next(hasTime: true, hasTimeForBulk: false, isFirst: true)

        #expect(transactions == [[1], [2, 1_001], [3]])
        #expect(alone == 1_002, "Where nobody serves it is the first.")
    }

    @Test("Each kind has its own limit") func separateLimits() {
        var queue = WriteQueue<Int>(capacity: 2)

        let taken = (1...3).map { queue.append($0, priority: .bulk) }

        #expect(taken == [true, true, false])
        let isServed = queue.append(4, priority: .serving)

        #expect(isServed)
        let all = queue.removeAll()
        #expect(all == [4, 1, 2])
    }

    @Test("Many writes keep their order") func keepsTheOrder() {
        var queue = WriteQueue<Int>(capacity: 100_000)
        var out: [Int] = []
        for job in 0..<10_000 {
            _ = queue.append(job, priority: .serving)
            if job.isMultiple(of: 3), let next = queue.next(hasTime: true, isFirst: true) { out.append(next) }
        }

        out += drain(&queue)
        #expect(out == Array(0..<10_000))
    }

    private func drain(_ queue: inout WriteQueue<Int>) -> [Int] {
        var jobs: [Int] = []
        while let job = queue.next(hasTime: true, isFirst: jobs.isEmpty) { jobs.append(job) }
        queue.endTransaction()
        return jobs
    }
}
