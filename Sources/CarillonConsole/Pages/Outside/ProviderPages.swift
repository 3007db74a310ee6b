import CarillonBytes
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird
import Logging
import OpenIDConnect

/// Signing in with the account of an identity provider: authorization code with PKCE, in the browser that began it.
extension ProviderPages {
    /// Where the provider leads back to, below `/console`.
    static let returnPath = "/login/provider/return"

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.entry("POST", "/login/provider") { visit in
            let isAgain = visit.form["purpose"] == "again"
            if isAgain, visit.session?.stage != .full { return .redirect(ConsolePath.login) }
            return try await leave(visit, isAgain ? .again : .signIn)
        }
        routes.entry("POST", "/invite/{once}/provider") { visit in
            let secret = visit.parameters["once"] ?? ""
            _ = try await visit.engine.operators.link(secret, .invite)
            return try await leave(visit, .invite, invitation: secret)
        }
        routes.entry("GET", returnPath) { visit in try await returned(visit) }
        routes.entry("GET", "/login/ended") { visit in
            .page(
                EndedView(heading: visit.texts("proxy.endedTitle"), signOutURL: visit.outside.proxy?.signOutURL)
            )
        }
    }

    /// Leads a browser to the provider, which leads it back to ``returnPath``.
    static func leave(
        _ visit: EntryVisit,
        _ purpose: PendingSignIn.Purpose,
        invitation: String? = nil
    ) async throws -> Outcome {
        guard let provider = visit.outside.provider else { return .redirect(ConsolePath.login) }
        visit.audit.noteQuestion()
        let continuation = Continuation(visit)
        let request = ProviderRequest(
            state: SessionValue.make(),
            nonce: SessionValue.make(),
            verifier: SessionValue.make(),
            redirectURI: visit.request.origin.text + Console.prefix + returnPath,
            begunAt: visit.now.rawValue / 1_000,
            isFresh: purpose == .again || purpose == .link
        )
        var pending = PendingSignIn(
            purpose: purpose,
            request: request,
            browser: PendingSignIn.hash(visit.browser),
            begunAt: visit.now
        )
        (pending.next, pending.held, pending.invitation) = (continuation.next, continuation.held, invitation)
        do throws(ProviderProblem) {
            let address = try await provider.address(for: request)
            let view = LeaveView(provider.settings.name, address: address, visit.texts)
            return .leaving(address, pending: pending, view)
        } catch {
            return problem(error, visit, provider)
        }
    }

    /// Who begins while signed in, by a page of its own.
    static func leave(_ visit: Visit, _ purpose: PendingSignIn.Purpose) async throws -> Outcome {
        try await leave(
            EntryVisit(
                request: visit.request,
                parameters: visit.parameters,
                cookie: visit.sessionValue,
                browser: visit.sessionValue,
                session: visit.session,
                engine: visit.engine,
                look: visit.look,
                audit: visit.audit,
                outside: visit.outside,
                logger: visit.logger
            ),
            purpose
        )
    }

    // MARK: - Private

    private static func returned(_ visit: EntryVisit) async throws -> Outcome {
        guard let provider = visit.outside.provider else { return .redirect(ConsolePath.login) }
        let query = visit.query
        guard let cookie = visit.request.pendingSignIn,
            let pending = PendingSignIn.open(cookie, browser: visit.browser, visit.engine.context.vault, at: visit.now)
        else {
            return refusal(.untrusted, visit, provider, "no sign-in of this browser is open")
        }
        let answer = ProviderReturn(
            code: query["code"],
            state: query["state"],
            issuer: query["iss"],
            error: query["error"],
            errorText: query["error_description"]
        )
        do throws(ProviderProblem) {
            let account = try await provider.account(answer, of: pending.request)
            return try await signIn(account, pending, visit, provider)
        } catch {
            return problem(error, visit, provider)
        }
    }

    private static func signIn(
        _ found: ProviderAccount,
        _ pending: PendingSignIn,
        _ visit: EntryVisit,
        _ provider: IdentityProvider
    ) async throws(ProviderProblem) -> Outcome {
        let account = OutsideAccount(
            .provider(issuer: found.issuer, subject: found.subject),
            groups: found.groups,
            address: found.verifiedAddress ?? found.preferredName,
            displayName: found.displayName
        )
        do throws(EngineError) {
            return try await finish(account, pending, visit, provider)
        } catch {
            if error.hasNoSession || error.needsFreshAuthentication { return .redirect(ConsolePath.login) }
            return refusal(error.isWrongCredentials ? .refused : .untrusted, visit, provider, "\(error)")
        }
    }

    private static func finish(
        _ account: OutsideAccount,
        _ pending: PendingSignIn,
        _ visit: EntryVisit,
        _ provider: IdentityProvider
    ) async throws(EngineError) -> Outcome {
        let (operators, caller) = (visit.engine.operators, visit.request.operatorCaller)
        let (cookie, challenge) = (visit.cookie ?? "", pending.challenge)
        let continuation = Continuation(next: ConsolePath.own(pending.next), held: pending.held)
        switch pending.purpose {
        case .again:
            let opened = try await operators.authenticate(cookie, with: account, challenge: challenge)
            visit.audit.noteEntry(of: opened.session.owner.id, "authentication: provider")
            return .opened(opened, continuation)
        case .link:
            let linked = try await operators.link(cookie, with: account, challenge: challenge, by: caller)
            return outcome(linked, "identity: linked", Continuation(next: ConsolePath.account), visit, provider)
        case .invite:
            let accepted = try await operators.acceptInvitation(
                pending.invitation ?? "",
                with: account,
                challenge: challenge,
                by: caller
            )
            return outcome(accepted, "invitation: accepted; identity: linked", Continuation(), visit, provider)
        case .signIn:
            let opened = try await operators.signIn(with: account, challenge: challenge, by: caller)
            return outcome(opened, "sign-in: provider", continuation, visit, provider)
        }
    }

    private static func outcome(
        _ result: OutsideSignIn,
        _ change: String,
        _ continuation: Continuation,
        _ visit: EntryVisit,
        _ provider: IdentityProvider
    ) -> Outcome {
        switch result {
        case .opened(let opened, let more):
            let changes = [change, more].compactMap(\.self).joined(separator: "; ")
            visit.audit.noteEntry(of: opened.session.owner.id, changes)
            let notice =
                continuation.next == ConsolePath.account ? Notice("provider.isLinked") : Entry.attempts(opened.session)
            return .opened(opened, continuation, notice)
        case .unknown: return refusal(.unknown, visit, provider, "the account is linked with nobody")
        case .noRole(let id): return refusal(.noRole, visit, provider, "no group has a role", of: id)
        case .refused(let id): return refusal(.refused, visit, provider, "the account is refused", of: id)
        }
    }

    private static func problem(
        _ problem: ProviderProblem,
        _ visit: EntryVisit,
        _ provider: IdentityProvider
    ) -> Outcome {
        visit.logger.error(
            "Nobody can be signed in by the identity provider",
            metadata: [
                "carillon.reason": "\(problem.sentence)", "carillon.request": "\(visit.request.caller.requestID)",
            ]
        )
        let name = provider.settings.name
        switch problem {
        case .unreachable, .misconfigured:
            return .other(.serviceUnavailable, ProblemView(.down, name, visit.texts))
        case .refused(let code, let text):
            visit.audit.noteRefusedEntry(of: nil, "sign-in: refused by the provider")
            let saying = code + (text.map { ": " + $0 } ?? "")
            return .other(.forbidden, ProblemView(.denied, name, visit.texts, saying: saying))
        case .untrusted: return refusal(.untrusted, visit, provider, "the answer is not believed")
        }
    }

    private static func refusal(
        _ kind: ProblemView.Kind,
        _ visit: EntryVisit,
        _ provider: IdentityProvider,
        _ reason: String,
        of id: OperatorID? = nil
    ) -> Outcome {
        visit.audit.noteRefusedEntry(of: id, "sign-in: refused, \(reason)")
        return .other(.forbidden, ProblemView(kind, provider.settings.name, visit.texts))
    }
}
