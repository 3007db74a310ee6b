import CarillonEngine
import CarillonModel
import NIOConcurrencyHelpers

/// What becomes known of a request while it is answered, for the audit log: who asks, and about which App.
///
/// It is the task's, so that every place that finds a caller out notes it, and none can forget to hand it on.
final class AuditNote: Sendable {
    @TaskLocal static var current: AuditNote?

    private struct Facts {
        var principal: Principal?
        var app: AppID?
    }

    private let facts = NIOLockedValueBox(Facts())

    var principal: Principal? { facts.withLockedValue { $0.principal } }

    /// The App that was named, or the caller's own.
    var app: AppID? { facts.withLockedValue { $0.app ?? $0.principal?.app } }

    func set(_ principal: Principal) { facts.withLockedValue { $0.principal = principal } }

    func set(_ app: AppID) { facts.withLockedValue { $0.app = app } }
}
