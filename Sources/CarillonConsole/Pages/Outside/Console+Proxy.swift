import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird
import Logging
import NIOConcurrencyHelpers

/// Who a proxy in front of the server says is there.
extension Console {
    /// Ends what a session of the proxy's header does not have any more: its header, its proxy, or its Operator.
    func checkProxy(_ call: inout ConsoleCall) async throws {
        guard let proxy = configuration.outside.proxy else {
            // The mode was switched off.
            if call.session?.method == .proxy { call.session = nil }
            return
        }
        let isProxy = proxy.isProxy(call.request.caller.peer)
        if !isProxy, proxy.isNamed(call.request.headers), strayHeader.withLockedValue({ $0.turnOn() }) {
            logger.warning(
                "A header field that names an Operator came from elsewhere than the proxy, and is ignored",
                metadata: [
                    "carillon.field": "\(proxy.userField)", "carillon.peer": "\(call.request.caller.peer)",
                    "carillon.remedy": "List the proxy in console.proxy.addresses if it is one; this is noted once.",
                ]
            )
        }
        guard let session = call.session, session.method == .proxy else { return }
        guard isProxy else {
            call.session = nil
            return
        }
        if case .proxy(let address)? = proxy.account(call.request.headers)?.source,
            engine.operators.isOwner(address, of: session)
        {
            return
        }
        // Somebody else sits there now, or nobody.
        if let value = call.cookie { try await engine.operators.signOut(value) }
        call.session = nil
    }

    /// Opens a session for who the proxy says is there; `nil` when it says nothing.
    func proxyOutcome(_ call: ConsoleCall, _ continuation: Continuation) async throws -> Outcome? {
        guard let proxy = configuration.outside.proxy, proxy.isProxy(call.request.caller.peer),
            let account = proxy.account(call.request.headers)
        else { return nil }
        let texts = look(call).texts
        let name = texts("proxy.name")
        let signedIn = try await engine.operators.signIn(
            with: account,
            challenge: nil,
            by: call.request.operatorCaller
        )
        func refused(_ kind: ProviderPages.ProblemView.Kind, _ id: OperatorID?) -> Outcome {
            call.audit.noteRefusedEntry(of: id, "sign-in: refused, of the proxy")
            return .other(.forbidden, ProviderPages.ProblemView(kind, name, texts))
        }
        switch signedIn {
        case .opened(let opened, let change):
            let changes = ["sign-in: proxy", change].compactMap(\.self).joined(separator: "; ")
            call.audit.noteEntry(of: opened.session.owner.id, changes)
            return .opened(opened, continuation)
        case .unknown: return refused(.unknown, nil)
        case .noRole(let id): return refused(.noRole, id)
        case .refused(let id): return refused(.refused, id)
        }
    }
}

extension Bool {
    /// Whether it was off; it is on afterwards.
    fileprivate mutating func turnOn() -> Bool {
        defer { self = true }
        return !self
    }
}

extension ConsoleAudit {
    /// Notes that somebody came in, whom nothing but a GET did.
    func noteEntry(of id: OperatorID, _ change: String) {
        require()
        note(object: id.description, change: change)
    }

    /// Notes that somebody did not come in.
    func noteRefusedEntry(of id: OperatorID?, _ change: String) {
        note(object: id?.description ?? "-", change: change)
        noteWrong(of: id)
    }
}
