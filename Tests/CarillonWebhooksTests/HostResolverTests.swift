import CarillonModel
import Dispatch
import NIOConcurrencyHelpers
import Testing

@testable import CarillonWebhooks

struct LookupQueueTests {
    @Test("S1-h10 One owner's lookups use a quarter of the threads, and others' start at once")
    func sharesThreads() {
        var queue = LookupQueue<String>(limit: 8, waitingLimit: 100)

        #expect((0..<5).map { queue.add($0, of: "slow") } == [.start, .start, .wait, .wait, .wait])
        #expect(queue.add(10, of: "other") == .start)
        #expect(queue.end(of: "other") == nil)
        #expect(queue.end(of: "slow") == 2)
        #expect(queue.end(of: "slow") == 3)
    }

    @Test("S1-h10 A free thread goes to the owner with the fewest")
    func isFair() {
        var queue = LookupQueue<String>(limit: 4, waitingLimit: 100)
        for (id, owner) in ["a", "b", "c", "d"].enumerated() { #expect(queue.add(UInt64(id), of: owner) == .start) }
        #expect(queue.add(10, of: "a") == .wait)
        #expect(queue.add(11, of: "e") == .wait)

        #expect(queue.end(of: "b") == 11)
        #expect(queue.end(of: "a") == 10)
    }

    @Test("S1-h10 The queue is limited, and a cancelled lookup leaves it")
    func isBounded() {
        var queue = LookupQueue<String>(limit: 4, waitingLimit: 1)
        #expect([1, 2, 3].map { queue.add($0, of: "a") } == [.start, .wait, .refuse])
        #expect(queue.cancel(2) == true)
        #expect(queue.cancel(2) == false)
        #expect(queue.end(of: "a") == nil)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct SystemHostResolverTests {
    @Test("S1-h10 Names of one App that do not resolve do not delay other Apps' names")
    func starvesNobody() async {
        let slow = DispatchSemaphore(value: 0)
        let started = AsyncStream.makeStream(of: Void.self)
        let resolver = SystemHostResolver(threadCount: 4) { host in
            guard host == "slow.test" else { return [[192, 0, 2, 1]] }
            started.continuation.yield()
            slow.wait()
            return []
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { _ = await resolver.addresses(of: "slow.test", for: AppID(rawValue: 1)) }
            }
            for await _ in started.stream { break }

            let found = await resolver.addresses(of: "fast.test", for: AppID(rawValue: 2))

            #expect(found == [[192, 0, 2, 1]])
            for _ in 0..<20 { slow.signal() }
        }
    }

    @Test("S1-h10 A lookup cancelled in the queue gets no answer and holds no thread")
    func cancels() async {
        let slow = DispatchSemaphore(value: 0)
        let started = AsyncStream.makeStream(of: Void.self)
        let resolver = SystemHostResolver(threadCount: 2) { _ in
            started.continuation.yield()
            slow.wait()
            return [[192, 0, 2, 1]]
        }
        let app = AppID(rawValue: 1)
        async let first = resolver.addresses(of: "a.test", for: app)
        for await _ in started.stream { break }
        let second = Task { await resolver.addresses(of: "b.test", for: app) }
        second.cancel()

        #expect(await second.value == [])
        slow.signal()
        #expect(await first == [[192, 0, 2, 1]])
    }

    @Test("S1-h10 A lookup cancelled before it begins returns its thread")
    func cancelsBeforeItBegins() async {
        let slow = DispatchSemaphore(value: 0)
        let started = AsyncStream.makeStream(of: Void.self)
        let resolver = SystemHostResolver(threadCount: 2) { host in
            guard host == "slow.test" else { return [[192, 0, 2, 1]] }
            started.continuation.yield()
            slow.wait()
            return []
        }
        let app = AppID(rawValue: 1)
        async let first = resolver.addresses(of: "slow.test", for: app)
        for await _ in started.stream { break }
        let turns = HeldTurns()
        let second = Task(executorPreference: turns) { await resolver.addresses(of: "b.test", for: app) }
        turns.hold()
        slow.signal()
        #expect(await first == [])

        // The second has the first one's thread now, and has not run on it yet.
        second.cancel()
        turns.goOn()

        #expect(await second.value == [])
        #expect(await resolver.addresses(of: "c.test", for: app) == [[192, 0, 2, 1]])
    }
}

/// A task executor that a test can suspend.
private final class HeldTurns: TaskExecutor {
    private let queue = DispatchQueue(label: "held turns")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Runs no jobs after the current or next one.
    func hold() {
        queue.sync {}
        queue.suspend()
    }

    func goOn() { queue.resume() }
}
