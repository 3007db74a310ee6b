import NIOConcurrencyHelpers

/// Counts of fetches since the process began.
package final class ContentImportMetrics: Sendable {
    /// What came of a fetch.
    package enum Result: String, Hashable, Sendable, CaseIterable {
        case imported, unchanged, failed
    }

    /// The values at one instant.
    package struct Values: Hashable, Sendable {
        package var fetches: [Result: Int] = [:]
        /// Sources of all Apps whose last fetch failed, as the node saw it last; at most 1,001.
        ///
        /// It is 0 on a node without the role that fetches.
        package var failingSources = 0
        /// Alerts about new rows: Campaigns that were made, and rows of which none could be made.
        package var alertCampaigns = 0
        package var alertFailures = 0
    }

    private let state = NIOLockedValueBox(Values())

    package init() {}

    /// The current values.
    package var values: Values { state.withLockedValue { $0 } }

    func count(_ result: Result) { state.withLockedValue { $0.fetches[result, default: 0] += 1 } }

    func setFailingSources(_ count: Int) { state.withLockedValue { $0.failingSources = count } }

    func countAlertCampaign() { state.withLockedValue { $0.alertCampaigns += 1 } }

    func countAlertFailure() { state.withLockedValue { $0.alertFailures += 1 } }
}
