import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers

/// What a handler tells the audit log about its request.
final class ConsoleAudit: Sendable {
    struct Facts: Sendable {
        var actor: OperatorID?
        var session: OperatorSessionID?
        var app: AppID?
        var object: String?
        var change: String?
        /// The status of the entry; `nil` for that of the answer.
        var status: Int?
        /// Whether it is recorded although nothing changed, such as an export.
        var isRequired = false
        /// Whether it is of a wrong password or code.
        var isWrongProof = false
        /// Whether a form only asked for something, such as a preview, so that no entry is written.
        var isQuestion = false
    }

    private let box = NIOLockedValueBox(Facts())

    var facts: Facts { box.withLockedValue { $0 } }

    /// Notes who acts.
    func note(_ session: OperatorSession) {
        box.withLockedValue { ($0.actor, $0.session) = (session.owner.id, session.id) }
    }

    /// Notes a wrong password or code, and whose it would have been.
    func noteWrong(of id: OperatorID?) {
        box.withLockedValue { facts in
            (facts.isRequired, facts.isWrongProof, facts.status) = (true, true, 401)
            facts.object = id?.description ?? facts.object
        }
    }

    /// Notes that a form was not done: it waits for a password or a code.
    func noteUndone() { box.withLockedValue { $0.status = 401 } }

    /// Notes that a form only asks for something, such as a preview while somebody types.
    func noteQuestion() { box.withLockedValue { $0.isQuestion = true } }

    func note(app: AppID) { box.withLockedValue { $0.app = app } }

    /// Notes the object of a change, and what changed, without secrets.
    func note(object: String, change: String? = nil) {
        box.withLockedValue { ($0.object, $0.change) = (object, change) }
    }

    /// Notes the change of an Operator.
    func note<Value>(_ change: OperatorChange<Value>) { note(object: change.object.description, change: change.change) }

    /// Notes that something changed, or that a decision about a send was asked for: it is recorded whatever the answer is.
    func noteChanged() { box.withLockedValue { $0.isRequired = true } }

    /// Notes that a decision was refused, although the answer leads to another page.
    func noteRefused() { box.withLockedValue { ($0.isRequired, $0.status) = (true, 409) } }

    /// Requires an entry of a page that only reads, such as an export.
    func require() { box.withLockedValue { $0.isRequired = true } }
}

extension Console {
    /// Writes the entry of a request: of each form, done or refused, and of pages that were refused or require one.
    func record(
        _ note: ConsoleAudit,
        _ route: DeclaredConsoleRoute,
        status: Int,
        _ caller: ConsoleCaller
    ) async {
        let facts = note.facts
        let isForm = route.method == "POST"
        // A form with problems changed nothing, unless it notes that it did.
        let isQuestion = facts.isQuestion && status == 200
        guard isForm && status != 422 && !isQuestion || facts.isRequired || status == 403 && facts.actor != nil else {
            return
        }
        // Attempts of strangers are bounded by the limits of signing in, and by this.
        if facts.actor == nil, !strangers.mayRecord(caller.network, isWrongProof: facts.isWrongProof) { return }
        await engine.audit.append(
            AuditRecord(
                actor: facts.actor?.description ?? AuditRecord.unknown,
                address: caller.address,
                action: "\(route.method) /console\(route.path)",
                app: facts.app,
                object: facts.object,
                // A redirect is what a browser gets for what was done.
                status: facts.status ?? (status == 303 ? 200 : status),
                at: engine.audit.now,
                session: facts.session,
                change: facts.change
            )
        )
    }
}

/// Limits the entries that visitors cause who are not signed in.
///
/// Wrong passwords have places of their own, as many as an address may try: no other request can take them.
final class StrangerLimiter: Sendable {
    private let wrongProofs = NIOLockedValueBox(RateLimiter<String>(rate: 1.0 / 60, burst: 60, capacity: 10_000))
    private let others = NIOLockedValueBox(RateLimiter<String>(rate: 1.0 / 60, burst: 20, capacity: 10_000))

    func mayRecord(_ network: String, isWrongProof: Bool) -> Bool {
        let buckets = isWrongProof ? wrongProofs : others
        return buckets.withLockedValue { $0.consume(network, now: ContinuousClock.now) == nil }
    }
}
