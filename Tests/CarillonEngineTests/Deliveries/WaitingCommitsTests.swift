import CarillonModel
import CarillonOperatorModel
import Testing

@testable import CarillonEngine

/// The order of waiting outcomes, and the share of an App.
struct WaitingCommitsTests {
    private static let (first, second) = (AppID(rawValue: 1), AppID(rawValue: 2))
    private let start = ContinuousClock.now

    /// A Chunk with ten outcomes.
    private func item(_ number: Int64, of app: AppID, rows: Int64 = 10) -> WaitingCommits.Item {
        let lease = Lease(
            chunk: ChunkKey(app: app, occurrence: OccurrenceID(rawValue: number), number: 1),
            campaign: CampaignID(rawValue: number),
            range: .devices(wave: 1, after: DeviceNumber(rawValue: 0), through: DeviceNumber(rawValue: rows)),
            fence: 1
        )
        var commit = ChunkCommit(lease: lease, at: Timestamp(rawValue: 0))
        commit.rows = (0..<rows).map { row in
            ChunkCommit.Row(device: DeviceNumber(rawValue: row), pushType: .apns, outcome: .accepted)
        }
        return WaitingCommits.Item(
            [commit],
            of: lease,
            session: HeldSession(DispatcherSession(rawValue: 1), until: start, wake: AsyncSignal()),
            held: HeldChunks(),
            since: Timestamp(rawValue: 0),
            nextAttempt: start
        )
    }

    @Test("Apps take turns, however many Chunks one of them has")
    func takesTurns() throws {
        var waiting = WaitingCommits(.init(chunks: 512, notifications: 200_000))
        for number in 1...5 { waiting.insert(item(Int64(number), of: Self.first)) }
        waiting.insert(item(6, of: Self.second))

        // Each attempt takes so long that all are due again.
        var apps: [AppID] = []
        for attempt in 1...6 {
            let next = waiting.next(at: start + .seconds(20 * attempt))
            var tried = try #require(next)
            apps.append(tried.lease.chunk.app)
            tried.nextAttempt = start + .seconds(20 * attempt + 5)
            waiting.insert(tried)
        }

        #expect(apps.count { $0 == Self.second } == 3)
        #expect(zip(apps, apps.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test("An item that is not due is returned only when none is due, and takes no turn")
    func namesTheNext() throws {
        var waiting = WaitingCommits(.init(chunks: 512, notifications: 200_000))
        for (number, delay) in [(1, 30), (2, 10)] {
            var later = item(Int64(number), of: Self.first)
            later.nextAttempt = start + .seconds(delay)
            waiting.insert(later)
        }

        let early = waiting.next(at: start)
        #expect(early?.nextAttempt == start + .seconds(10))
        waiting.insert(item(3, of: Self.second))
        let due = waiting.next(at: start)
        #expect(due?.lease.chunk.app == Self.second)
    }

    @Test("An App with half of the maximum is at its limit, by Chunks or by notifications")
    func findsAppsAtLimit() {
        var waiting = WaitingCommits(.init(chunks: 4, notifications: 1_000))
        waiting.insert(item(1, of: Self.first))
        waiting.insert(item(2, of: Self.second, rows: 500))
        #expect(waiting.appsAtLimit == [Self.second])
        waiting.insert(item(3, of: Self.first))
        #expect(waiting.appsAtLimit == [Self.first, Self.second])
        #expect(!waiting.isFull)
        waiting.insert(item(4, of: Self.first))
        #expect(waiting.isFull)
    }

    @Test("Committed parts of a Chunk do not wait any more")
    func counts() {
        var waiting = WaitingCommits(.init(chunks: 4, notifications: 1_000))
        var whole = item(1, of: Self.first)
        waiting.insert(whole)
        waiting.insert(item(2, of: Self.second))
        #expect((waiting.chunkCount, waiting.notificationCount) == (2, 20))
        whole.parts = []
        waiting.insert(whole)
        #expect((waiting.chunkCount, waiting.notificationCount) == (2, 10))
        waiting.remove(whole.lease.chunk)
        #expect((waiting.chunkCount, waiting.notificationCount) == (1, 10))
        #expect(waiting.occurrences == [OccurrenceID(rawValue: 2)])
    }
}
