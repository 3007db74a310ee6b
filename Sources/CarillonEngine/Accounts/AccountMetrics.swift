import NIOConcurrencyHelpers

/// Counts what happens with accounts on this node.
package final class AccountMetrics: Sendable {
    /// What is counted.
    package enum Total: String, Hashable, Sendable, CaseIterable {
        case signedIn = "signed-in"
        case signedUp = "signed-up"
        case guests = "guest"
        case wrongPassword = "wrong"
        case limited
        case busy
        /// A token that was replaced before came again.
        case reusedToken = "reused-token"
    }

    private let totals = NIOLockedValueBox<[Total: Int]>([:])

    package init() {}

    /// The counts so far.
    package var values: [Total: Int] { totals.withLockedValue { $0 } }

    func add(_ total: Total) { totals.withLockedValue { $0[total, default: 0] += 1 } }
}
