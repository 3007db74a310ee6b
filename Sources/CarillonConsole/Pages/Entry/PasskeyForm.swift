import CarillonEngine
import CarillonOperatorModel

/// A form that a browser with passkeys shows: its script asks for one, and submits what it answers.
struct PasskeyForm: Sendable {
    let passkeyAction: String
    /// `get` or `create`, as the browser's function is named.
    let passkeyKind: String
    let passkeyOptions: String
    let passkeySealed: String
    let passkeyButton: String
    /// The field of a new passkey's name.
    let passkeyName: FieldView?

    init(_ request: PasskeyRequest, action: String, button: String) {
        passkeyAction = action
        passkeyKind = "get"
        passkeyOptions = request.options
        passkeySealed = request.sealed
        passkeyButton = button
        passkeyName = nil
    }

    /// A form that registers a passkey.
    init(registration request: PasskeyRequest, action: String, _ look: Look, _ state: FormState) {
        passkeyAction = action
        passkeyKind = "create"
        passkeyOptions = request.options
        passkeySealed = request.sealed
        passkeyButton = look.texts("passkey.add")
        passkeyName = state.field(
            "name",
            look.texts("passkey.name"),
            hint: look.texts("passkey.nameHint"),
            standard: look.texts("passkey.standardName")
        )
    }

    /// The form of the page for signing in; `nil` where browsers have no passkeys.
    static func signIn(_ visit: EntryVisit) -> PasskeyForm? {
        signIn(visit.look, visit.request, visit.browser, visit.engine)
    }

    /// The form of the page for signing in; `nil` where browsers have no passkeys.
    static func signIn(_ look: Look, _ request: ConsoleRequest, _ browser: String, _ engine: Engine) -> PasskeyForm? {
        guard let party = request.origin.passkeyParty,
            let asked = try? engine.operators.passkeyRequest(forBrowser: browser, party)
        else { return nil }
        return PasskeyForm(asked, action: ConsolePath.login + "/passkey", button: look.texts("passkey.signIn"))
    }

    /// The form that proves who is signed in; `nil` when the Operator has no passkey for this address.
    static func proof(_ visit: EntryVisit, _ session: OperatorSession, action: String) async throws -> PasskeyForm? {
        try await proof(visit.look, visit.request, session, visit.browser, visit.engine, action: action)
    }

    /// The form that proves who is signed in; `nil` when the Operator has no passkey for this address.
    static func proof(
        _ look: Look,
        _ request: ConsoleRequest,
        _ session: OperatorSession,
        _ browser: String,
        _ engine: Engine,
        action: String
    ) async throws -> PasskeyForm? {
        guard let party = request.origin.passkeyParty,
            let asked = try await engine.operators.passkeyRequest(proving: session, browser, party)
        else { return nil }
        return PasskeyForm(asked, action: action, button: look.texts("passkey.prove"))
    }
}

extension ConsoleRequest {
    /// What the form of a passkey has; `nil` where browsers have no passkeys.
    var passkeyProof: PasskeyProof? {
        origin.passkeyParty.map {
            PasskeyProof(answer: form.text("credential"), sealed: form.text("sealed"), party: $0)
        }
    }

    /// The passkey that was sent in place of a password or a code; `nil` when one of these was.
    var sentPasskey: PasskeyProof? { form["credential"] == nil ? nil : passkeyProof }

    /// What is wrong with a passkey that was sent; `nil` when a password or a code was.
    func passkeyProblem(_ texts: Texts) -> FieldProblem? {
        sentPasskey.map { _ in FieldProblem(nil, texts("passkey.wrong")) }
    }
}
