package import CarillonContentJobs

extension ContentImportMetrics: MetricsSource {
    package func write(to page: inout MetricsPage) {
        let figures = values
        page.totals(
            .contentFetches,
            by: "result",
            ContentImportMetrics.Result.allCases.map { ($0.rawValue, figures.fetches[$0] ?? 0) }
        )
        page.single(.contentSourcesFailing, Double(figures.failingSources))
        page.single(.contentAlertCampaigns, Double(figures.alertCampaigns))
        page.single(.contentAlertFailures, Double(figures.alertFailures))
    }
}
