package import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension DispatcherMetrics: MetricsSource {
    package func write(to page: inout MetricsPage) {
        let figures = snapshot
        page.totals(
            .notifications,
            by: "outcome",
            Delivery.Outcome.allCases.map { ($0.rawValue, figures.outcomes[$0]) }
        )
        page.single(.retries, Double(figures.retries))
        page.totals(
            .tokens,
            by: "verdict",
            [("dead", figures.deadTokens), ("quarantined", figures.quarantinedTokens)]
        )
        page.single(.halts, Double(figures.halts))
        page.single(.workFailures, Double(figures.workFailures))
        page.single(.storeFailures, Double(figures.storeFailures))
        page.single(.takeovers, Double(figures.takeovers))
        page.single(.refusals, Double(figures.refusals))
        page.single(.lostSessions, Double(figures.lostSessions))
        page.single(.chunksWaiting, Double(figures.chunksWaiting))
        page.single(.notificationsWaiting, Double(figures.notificationsWaiting))
        page.single(.verdictsWaiting, Double(figures.verdictsWaiting))
        page.single(.verdictsDropped, Double(figures.verdictsDropped))
        page.single(.chunksUnderWay, Double(figures.chunksUnderWay))
        page.single(.devicesUnderWay, Double(figures.devicesUnderWay))
    }
}
