import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers
import Testing

@testable import CarillonEngine

/// Exact counts for pages, and counting Users in bounded memory.
@Suite(.timeLimit(.minutes(1)))
struct ExactCountTests {
    private func campaign(_ version: Int) throws -> Campaign {
        let request = CampaignRequest(audience: .all, message: Message(content: [:]))
        let id = CampaignID(rawValue: 1)
        let time = Timestamp(rawValue: 0)
        var campaign = Campaign(id: id, app: AppID(rawValue: 1), request: request, state: .draft, createdAt: time)
        campaign.version = version
        return campaign
    }

    /// Counts its calls.
    private final class Counter: Sendable {
        let calls = NIOLockedValueBox(0)

        func count(_ campaign: Campaign) async -> Result<ExactCount, EngineError> {
            let number = calls.withLockedValue { calls in
                calls += 1
                return calls
            }
            await Task.yield()
            var figures = ReachFigures()
            figures.devices = number
            return .success(ExactCount(figures: figures))
        }
    }

    @Test("Who wants the same exact count within some seconds shares one; what is sent is counted anew")
    func shares() async throws {
        let (counts, counter, draft) = (ExactCounts(), Counter(), try campaign(1))
        async let one = counts.count(of: draft, isFresh: false, counter.count)
        async let other = counts.count(of: draft, isFresh: false, counter.count)
        let both = try await [one.figures.devices, other.figures.devices]
        #expect(both == [1, 1])
        let fresh = try await counts.count(of: draft, isFresh: true, counter.count)
        #expect(fresh.figures.devices == 2)
        let shown = try await counts.count(of: draft, isFresh: false, counter.count)
        #expect(shown.figures.devices == 2)
        let changed = try await counts.count(of: try campaign(2), isFresh: false, counter.count)
        #expect(changed.figures.devices == 3)
    }

    @Test("Users are counted exactly up to a limit, and within three percent above it")
    func distinct() {
        var counter = DistinctCounter(exactLimit: 1_000)
        for number in 1...1_000 as ClosedRange<UInt64> {
            counter.insert(number)
            counter.insert(number)
        }
        #expect(counter.count == 1_000)
        for number in 1...60_000 as ClosedRange<UInt64> { counter.insert(number) }
        #expect((58_200...61_800).contains(counter.count), "\(counter.count)")
        var few = DistinctCounter(exactLimit: 10)
        for number in 1...2_000 as ClosedRange<UInt64> { few.insert(number) }
        #expect((1_940...2_060).contains(few.count), "\(few.count)")
    }
}
