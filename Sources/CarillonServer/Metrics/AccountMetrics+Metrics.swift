import CarillonEngine

extension AccountMetrics: MetricsSource {
    package func write(to page: inout MetricsPage) {
        let values = values
        page.totals(.signIns, Total.allCases.map { ($0.rawValue, values[$0]) })
    }
}
