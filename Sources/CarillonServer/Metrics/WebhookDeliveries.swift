package import CarillonEngine
import NIOConcurrencyHelpers
import ServiceLifecycle

/// Measures what webhooks have not delivered, apart from the page of metrics, as ``HaltedCampaigns`` does.
package final class WebhookDeliveries: Service, Sendable {
    /// How long figures are shown before they are measured again.
    private static let period = Duration.seconds(15)

    private let webhooks: Webhooks
    private let timer: any DispatchClock
    private let state = NIOLockedValueBox<(backlog: WebhookBacklog, age: Duration)?>(nil)

    /// Creates it without figures.
    ///
    /// - Parameters:
    ///   - webhooks: The webhooks of all Apps.
    ///   - timer: The clock of the period.
    package init(_ webhooks: Webhooks, timer: any DispatchClock = SystemDispatchClock()) {
        self.webhooks = webhooks
        self.timer = timer
    }

    /// Measures once; without an answer of the store the figures are missing.
    package func update() async {
        let found = await webhooks.backlog()
        state.withLockedValue { $0 = found }
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

extension WebhookDeliveries: MetricsSource {
    package func write(to page: inout MetricsPage) {
        guard let (backlog, age) = state.withLockedValue({ $0 }) else { return }
        page.single(.webhookMessagesDead, Double(backlog.dead))
        page.single(.webhooksDisabled, Double(backlog.disabled))
        page.single(.webhookBacklogAge, Double(age.components.seconds))
    }
}
