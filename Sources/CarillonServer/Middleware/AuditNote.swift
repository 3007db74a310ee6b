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
        var isRequired = false
    }

    private let facts = NIOLockedValueBox(Facts())

    var principal: Principal? { facts.withLockedValue { $0.principal } }

    /// The caller's own App, or the one that a key of the server is about; `nil` for a caller without a key.
    ///
    /// What a key of one App does with another's id stays with its own App: what is another's does not exist for it.
    var app: AppID? { facts.withLockedValue { facts in facts.principal.flatMap { $0.app ?? facts.app } } }

    /// Whether the request is recorded on a route whose requests usually are not.
    var isRequired: Bool { facts.withLockedValue { $0.isRequired } }

    func set(_ principal: Principal) { facts.withLockedValue { $0.principal = principal } }

    func set(_ app: AppID) { facts.withLockedValue { $0.app = app } }

    /// Has the request recorded, because its answer shows what is known of a person.
    func require() { facts.withLockedValue { $0.isRequired = true } }
}
