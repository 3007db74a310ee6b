import CarillonEngine
import CarillonOperatorModel
import OpenIDConnect

extension Account {
    /// Reads what the page shows.
    static func read(_ visit: Visit) async throws -> Model {
        let operators = visit.engine.operators
        let least = operators.options.secondFactorFrom
        let greatest = visit.person.roles.greatest
        let signIns = try await operators.signIns(of: visit.session)
        return Model(
            person: visit.person,
            current: visit.session.id,
            sessions: try await operators.sessions(of: visit.session),
            passkeys: signIns.passkeys,
            identities: signIns.identities,
            provider: visit.outside.provider?.settings.name,
            mayAddPasskey: visit.request.origin.passkeyParty != nil,
            needsSecondFactor: least.flatMap { least in greatest.map { $0 >= least } } ?? false,
            now: visit.now
        )
    }
}
