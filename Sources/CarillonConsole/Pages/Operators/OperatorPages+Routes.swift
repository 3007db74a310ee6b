import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

extension OperatorPages {
    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page("/operators", .everywhere(.admin)) { visit in
            .page(ListView(try await readList(visit), visit.look))
        }
        routes.page("/operators/invite", .everywhere(.admin)) { visit in
            .page(InviteView(try await readApps(visit), visit.look, .empty))
        }
        routes.form("/operators/invite", .everywhere(.admin), fresh: true) { visit, state in
            InviteView(try await readApps(visit), visit.look, state)
        } submit: { visit in
            try await invite(visit)
        }
        routes.page("/operators/{operator}", .everywhere(.admin)) { visit in
            .page(DetailView(try await readDetail(visit), visit.look, .empty))
        }
        routes.form("/operators/{operator}", .everywhere(.admin), fresh: true) { visit, state in
            DetailView(try await readDetail(visit), visit.look, state)
        } submit: { visit in
            try await saveRoles(visit)
        }
        declareActions(&routes)
    }

    // MARK: - Private

    private static func invite(_ visit: Visit) async throws -> Outcome {
        let address = visit.form.text("address").trimmingCharacters(in: .whitespaces)
        guard !address.isEmpty else { throw FormProblems("address", visit.texts("link.addressMissing")) }
        let roles = RoleForm.roles(visit.form)
        guard roles.greatest != nil else { throw FormProblems("role", visit.texts("operators.roleMissing")) }
        do throws(EngineError) {
            let change = try await visit.engine.operators.invite(
                OperatorInvitation(address: address, roles: roles),
                by: .session(visit.session)
            )
            visit.audit.note(change)
            return .page(LinkView(change.value, visit))
        } catch {
            guard error.isAddressTaken else { throw error }
            throw FormProblems("address", visit.texts("operators.addressTaken"))
        }
    }

    private static func saveRoles(_ visit: Visit) async throws -> Outcome {
        let id = try id(visit)
        let former = try await visit.engine.operators.record(id)
        let roles = RoleForm.roles(visit.form, keeping: former.apps)
        guard roles.greatest != nil else { throw FormProblems("role", visit.texts("operators.roleMissing")) }
        var update = OperatorUpdate()
        update.role = roles.everywhere.map(OperatorUpdate.RoleChange.role) ?? OperatorUpdate.RoleChange.noRole
        update.apps = roles.apps
        return try await change(visit, update, "operators.saved")
    }

    private static func change(_ visit: Visit, _ update: OperatorUpdate, _ notice: String) async throws -> Outcome {
        let change = try await visit.engine.operators.update(try id(visit), update, by: .session(visit.session))
        visit.audit.note(change)
        // Other roles end the sessions, one's own too.
        return .redirect(page(visit), Notice(notice, ["name": change.value.displayName]))
    }

    private static func page(_ visit: Visit) -> String {
        ConsolePath.operators + "/" + FormFields.escaped(visit.parameters["operator"] ?? "")
    }

    private static func declareActions(_ routes: inout ConsoleRoutes) {
        func action(_ name: String, _ handler: @escaping @Sendable (Visit) async throws -> Outcome) {
            routes.action("/operators/{operator}/\(name)", .everywhere(.admin), fresh: true, on: page, handler)
        }
        action("disable") { visit in
            var update = OperatorUpdate()
            update.isDisabled = true
            return try await change(visit, update, "operators.disabled")
        }
        action("enable") { visit in
            var update = OperatorUpdate()
            update.isDisabled = false
            return try await change(visit, update, "operators.enabled")
        }
        action("link") { visit in
            let change = try await visit.engine.operators.newLink(
                for: try id(visit),
                removesSecondFactor: visit.form["removesSecondFactor"] != nil,
                by: .session(visit.session)
            )
            visit.audit.note(change)
            return .page(LinkView(change.value, visit))
        }
        action("end-sessions") { visit in
            let change = try await visit.engine.operators.endSessions(of: try id(visit), by: .session(visit.session))
            visit.audit.note(change)
            return .redirect(page(visit), Notice("operators.sessionsEnded"))
        }
        action("identities/{identity}/remove") { visit in
            let identity = try visit.parameter("identity") { OperatorIdentityID($0) }
            let change = try await visit.engine.operators.removeIdentity(
                identity,
                of: try id(visit),
                by: .session(visit.session)
            )
            visit.audit.note(change)
            return .redirect(page(visit), Notice("provider.removed"))
        }
        action("remove") { visit in
            let change = try await visit.engine.operators.remove(try id(visit), by: .session(visit.session))
            visit.audit.note(change)
            return .redirect(ConsolePath.operators, Notice("operators.removed", ["name": change.value.displayName]))
        }
    }
}
