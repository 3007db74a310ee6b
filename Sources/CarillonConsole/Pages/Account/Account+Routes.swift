import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension Account {
    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page("/account", .signedIn) { visit in
            .page(View(try await read(visit), visit.look, .empty))
        }
        routes.form("/account", .signedIn) { visit, state in
            View(try await read(visit), visit.look, state)
        } submit: { visit in
            try await save(visit)
        }
        declarePassword(&routes)
        declareFactor(&routes)
        declarePasskeys(&routes)
        declareIdentities(&routes)
        declareSessions(&routes)
    }

    // MARK: - Private

    private static func save(_ visit: Visit) async throws -> Outcome {
        var preferences = OperatorPreferences()
        preferences.displayName = visit.form["displayName"]
        preferences.language = choice(visit.form["language"])
        preferences.zone = choice(visit.form["zone"])
        preferences.theme = visit.form["theme"].flatMap(Operator.Theme.init(rawValue:))
        let change = try await visit.engine.operators.setPreferences(preferences, of: visit.session)
        visit.audit.note(change)
        return .redirect(ConsolePath.account, Notice("account.saved"))
    }

    private static func choice(_ text: String?) -> OperatorPreferences.Choice {
        guard let text else { return .unchanged }
        return text.isEmpty ? .automatic : .value(text)
    }

    private static func declarePassword(_ routes: inout ConsoleRoutes) {
        routes.page("/account/password", .signedIn, fresh: true) { visit in
            .page(PasswordView(visit.person, visit.look, .empty))
        }
        routes.form("/account/password", .signedIn, fresh: true) { visit, state in
            PasswordView(visit.person, visit.look, state)
        } submit: { visit in
            do {
                let opened = try await visit.engine.operators.changePassword(
                    visit.sessionValue,
                    from: visit.form.text("password"),
                    to: visit.form.text("newPassword"),
                    by: visit.request.operatorCaller
                )
                visit.audit.note(object: visit.person.id.description, change: "password: changed")
                let continuation = Continuation(next: ConsolePath.account)
                return .opened(opened, continuation, Notice("account.passwordChanged"))
            } catch let error as EngineError where error.isWrongCredentials {
                visit.audit.noteWrong(of: visit.person.id)
                throw FormProblems("password", visit.texts("again.wrong"))
            }
        }
    }

    private static func declareFactor(_ routes: inout ConsoleRoutes) {
        let path = "/account/second-factor"
        let address = ConsolePath.root + path
        routes.page(path, .signedIn, fresh: true) { visit in
            let enrolment = try visit.engine.operators.beginSecondFactor(visit.session)
            return .page(SecondFactor.View(enrolment, visit.look, .empty, action: address))
        }
        routes.form(path, .signedIn, fresh: true) { visit, state in
            let operators = visit.engine.operators
            let known = operators.secondFactor(sealed: visit.form.text("sealed"), of: visit.session)
            let enrolment = try known ?? operators.beginSecondFactor(visit.session)
            return SecondFactor.View(enrolment, visit.look, state, action: address)
        } submit: { visit in
            do {
                let made = try await visit.engine.operators.confirmSecondFactor(
                    visit.sessionValue,
                    sealed: visit.form.text("sealed"),
                    code: visit.form.text("code"),
                    by: visit.request.operatorCaller
                )
                visit.audit.note(object: visit.person.id.description, change: "second factor: changed")
                let view = SecondFactor.CodesView(made.codes, visit.look, next: ConsolePath.account)
                return .openedPage(made.opened, view)
            } catch let error as EngineError where error.isWrongCredentials {
                visit.audit.noteWrong(of: visit.person.id)
                throw FormProblems("code", visit.texts("code.wrong"))
            } catch let error as EngineError where error.hasNoSession {
                // The secret is of another session: a new one is made.
                return .redirect(address)
            }
        }
        routes.action(path + "/remove", .signedIn, fresh: true, on: { _ in ConsolePath.account }) { visit in
            let opened = try await visit.engine.operators.removeSecondFactor(
                visit.sessionValue,
                by: visit.request.operatorCaller
            )
            visit.audit.note(object: visit.person.id.description, change: "second factor: on → off")
            return .opened(opened, Continuation(next: ConsolePath.account), Notice("account.factorRemoved"))
        }
        routes.action("/account/recovery-codes", .signedIn, fresh: true, on: { _ in ConsolePath.account }) { visit in
            let made = try await visit.engine.operators.newRecoveryCodes(
                visit.sessionValue,
                by: visit.request.operatorCaller
            )
            visit.audit.note(object: visit.person.id.description, change: "recovery codes: changed")
            return .openedPage(made.opened, SecondFactor.CodesView(made.codes, visit.look, next: ConsolePath.account))
        }
    }

    private static func declareSessions(_ routes: inout ConsoleRoutes) {
        routes.action("/account/sessions/end-others", .signedIn, on: { _ in ConsolePath.account }) { visit in
            let count = try await visit.engine.operators.endOtherSessions(of: visit.session)
            visit.audit.note(object: visit.person.id.description, change: "sessions ended: \(count)")
            return .redirect(ConsolePath.account, Notice("account.othersEnded"))
        }
        routes.action("/account/sessions/{session}/end", .signedIn, on: { _ in ConsolePath.account }) { visit in
            let id = try visit.parameter("session") { OperatorSessionID($0) }
            try await visit.engine.operators.endSession(id, of: visit.session)
            visit.audit.note(object: id.description)
            return .redirect(ConsolePath.account, Notice("account.sessionEnded"))
        }
    }
}
