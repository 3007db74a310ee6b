import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

struct ChunkCommitTests {
    private func commit(rows: Int, retries: Int = 0, dead: Set<Int> = []) -> ChunkCommit {
        let key = ChunkKey(app: AppID(rawValue: 1), occurrence: OccurrenceID(rawValue: 2), number: 3)
        let range = ChunkRange.devices(wave: 1, after: DeviceNumber(rawValue: 0), through: DeviceNumber(rawValue: 99))
        let lease = Lease(chunk: key, campaign: CampaignID(rawValue: 4), range: range, fence: 1)
        var commit = ChunkCommit(lease: lease, at: Timestamp(rawValue: 5))
        for number in 0..<rows {
            let device = DeviceNumber(rawValue: Int64(number))
            commit.rows.append(
                .init(device: device, pushType: .apns, outcome: dead.contains(number) ? .failed : .accepted)
            )
            guard dead.contains(number) else { continue }
            commit.verdicts.append(
                .init(
                    device: device,
                    pushType: .apns,
                    token: [1],
                    .dead,
                    reason: FailureReason(rawValue: "Unregistered")
                )
            )
        }
        for number in 0..<retries {
            let device = DeviceNumber(rawValue: Int64(1_000 + number))
            commit.retries.append(.init(device: device, pushType: .apns, dueAt: Timestamp(rawValue: 6), attempts: 1))
        }
        commit.ending = .isOver
        return commit
    }

    @Test("A small commit is one part") func keepsSmallCommits() {
        #expect(commit(rows: 10).parts(cost: 10).map(\.rows.count) == [10])
        #expect(commit(rows: 0).parts(cost: 10).map(\.ending) == [.isOver])
    }

    @Test("A large commit has its ending in the last part") func endsWithTheLastPart() {
        let parts = commit(rows: 25).parts(cost: 10)
        #expect(parts.map(\.rows.count) == [10, 10, 5])
        #expect(parts.map(\.ending) == [.goesOn, .goesOn, .isOver])
        #expect(parts.flatMap(\.rows) == commit(rows: 25).rows)
    }

    @Test("A token's verdict stays in the part of its row") func keepsVerdictsWithRows() {
        let whole = commit(rows: 12, retries: 3, dead: [1, 2, 11])
        let parts = whole.parts(cost: 6)
        #expect(parts.flatMap(\.rows) == whole.rows)
        #expect(parts.flatMap(\.verdicts) == whole.verdicts)
        #expect(parts.flatMap(\.retries) == whole.retries)
        for part in parts {
            let failed = part.rows.filter { $0.outcome == .failed }.map(\.device)
            #expect(part.verdicts.map(\.device) == failed)
        }
        #expect(parts.dropLast().allSatisfy { $0.ending == .goesOn })
    }
}
