package import CarillonEngine
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Counts the Campaigns that wait for a person, apart from the page of metrics: that page must not wait for a store that
/// does not answer.
package final class HaltedCampaigns: Service, Sendable {
    /// How long a figure is shown before it is counted again.
    private static let period = Duration.seconds(5)

    private let campaigns: Campaigns
    private let timer: any DispatchClock
    private let state = NIOLockedValueBox<Int?>(nil)

    /// Makes it without a figure.
    ///
    /// - Parameters:
    ///   - campaigns: Whose.
    ///   - timer: What the period is measured by.
    package init(_ campaigns: Campaigns, timer: any DispatchClock = SystemDispatchClock()) {
        self.campaigns = campaigns
        self.timer = timer
    }

    /// The last figure, at most 1,001; `nil` before the first, and while the store does not answer.
    package var count: Int? { state.withLockedValue { $0 } }

    /// Counts once.
    package func update() async {
        let count = await campaigns.haltedCount()
        state.withLockedValue { $0 = count }
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await self.update()
                await self.timer.sleep(until: self.timer.now() + Self.period)
            }
        }
    }
}

extension HaltedCampaigns: MetricsSource {
    package func write(to page: inout MetricsPage) {
        if let count { page.single(.campaignsHalted, Double(count)) }
    }
}
