import CarillonEngine

extension AppDeletionMetrics: MetricsSource {
    package func write(to page: inout MetricsPage) {
        let figures = values
        page.single(.deletedAppsUnfinished, Double(figures.unfinished))
        page.single(.deletedAppRows, Double(figures.rows))
        page.single(.deletedAppFailures, Double(figures.failures))
    }
}
