import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers

/// What the audit log needs to know about a request: who sends it, and about which App.
///
/// It is a task-local value, so that any place that authenticates a caller records it, and none has to pass it on.
final class AuditNote: Sendable {
    @TaskLocal static var current: AuditNote?

    private struct Facts {
        var principal: Principal?
        /// The vendor API that is called.
        var vendorAPI: StoredVendorAPI?
        /// Whether the caller has its secret.
        var hasVendorSecret = false
        var app: AppID?
        var change: String?
        var isRequired = false
    }

    private let facts = NIOLockedValueBox(Facts())

    /// The caller: the id of an API key, the name of a vendor API, or that with `-app` for an app, which has no secret;
    /// `nil` for a caller without a valid key.
    var actor: String? {
        facts.withLockedValue { facts in
            facts.principal?.key.description
                ?? facts.vendorAPI.map { $0.api.rawValue + (facts.hasVendorSecret ? "" : "-app") }
        }
    }

    /// The caller's own App, or the App that a key of the server addresses; `nil` for a caller without a key.
    ///
    /// A request of an App's key for another App's object is recorded under the key's App: the other App must not
    /// notice it.
    var app: AppID? {
        facts.withLockedValue { facts in facts.vendorAPI?.app ?? facts.principal.flatMap { $0.app ?? facts.app } }
    }

    /// Whether the caller has a vendor's secret, and the server has verified it.
    var hasVendorSecret: Bool { facts.withLockedValue { $0.hasVendorSecret } }

    /// Whether the request is recorded on a route whose requests usually are not.
    var isRequired: Bool { facts.withLockedValue { $0.isRequired } }

    func set(_ principal: Principal) { facts.withLockedValue { $0.principal = principal } }

    func set(_ vendorAPI: StoredVendorAPI, hasSecret: Bool) {
        facts.withLockedValue { ($0.vendorAPI, $0.hasVendorSecret) = (vendorAPI, hasSecret) }
    }

    /// What changed, before → after; `nil` where it is not recorded.
    var change: String? { facts.withLockedValue { $0.change } }

    func set(change: String?) { facts.withLockedValue { $0.change = change } }

    func set(_ app: AppID) { facts.withLockedValue { $0.app = app } }

    /// Requires an entry, because the response contains personal data, or the route records this caller and no other.
    func require() { facts.withLockedValue { $0.isRequired = true } }
}
