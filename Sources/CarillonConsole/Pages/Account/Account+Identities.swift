import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The Operator's own accounts at the identity provider.
extension Account {
    /// An account in a list.
    struct IdentityRow: Sendable {
        let identityPath: String
        let issuer: String
        let subject: String
        let created: TimeView
        let lastUse: TimeView

        init(_ identity: OperatorIdentity, below path: String, _ look: Look) {
            identityPath = path + "/identities/\(identity.id)"
            (issuer, subject) = (identity.issuer, identity.subject)
            created = look.times.table(identity.createdAt)
            lastUse = look.times.table(identity.usedAt)
        }
    }

    static func declareIdentities(_ routes: inout ConsoleRoutes) {
        let account: @Sendable (Visit) -> String = { _ in ConsolePath.account }
        routes.action("/account/identities/link", .signedIn, fresh: true, on: account) { visit in
            guard visit.outside.provider != nil else { return .redirect(ConsolePath.account) }
            return try await ProviderPages.leave(visit, .link)
        }
        routes.action("/account/identities/{identity}/remove", .signedIn, fresh: true, on: account) { visit in
            let id = try visit.parameter("identity") { OperatorIdentityID($0) }
            do throws(EngineError) {
                let opened = try await visit.engine.operators.unlink(visit.sessionValue, id)
                visit.audit.note(object: visit.person.id.description, change: "identity: \(id) removed")
                return .opened(opened, Continuation(next: ConsolePath.account), Notice("provider.unlinked"))
            } catch {
                guard case .conflict = error else { throw error }
                return .redirect(ConsolePath.account, Notice("provider.last"))
            }
        }
    }
}
