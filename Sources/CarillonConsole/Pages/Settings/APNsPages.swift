import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The App's push key: what is known of it, its check, and another one in its place.
enum APNsPages {
    static func declare(_ routes: inout ConsoleRoutes) {
        let route = SettingsTab.apns.route
        routes.page(route, .app(.admin)) { visit in .page(try await view(visit, .empty)) }
        routes.form(route, .app(.admin), fresh: true) { visit, state in
            try await view(visit, state)
        } submit: { visit in
            try await set(visit)
        }
        routes.action(route + "/check", .app(.admin), on: page) { visit in
            let app = try visit.app.id
            visit.audit.note(object: app.description)
            let state = try await visit.engine.pushKeys.check(app).check?.state
            visit.audit.note(object: app.description, change: "check: \(state?.rawValue ?? "–")")
            return .redirect(page(visit), Notice("apns.checked"))
        }
        routes.action(route + "/use", .app(.admin), fresh: true, on: page) { visit in
            let app = try visit.app.id
            visit.audit.note(object: app.description)
            let keyID = try await visit.engine.pushKeys.promote(app).keyID
            visit.audit.note(object: app.description, change: "push key: changed to \(keyID)")
            return .redirect(page(visit), Notice("apns.used"))
        }
        routes.action(route + "/discard", .app(.admin), fresh: true, on: page) { visit in
            let app = try visit.app.id
            visit.audit.note(object: app.description)
            try await visit.engine.pushKeys.discardCandidate(of: app)
            visit.audit.note(object: app.description, change: "new push key: discarded")
            return .redirect(page(visit), Notice("apns.discarded"))
        }
    }

    // MARK: - Private

    private static func page(_ visit: Visit) -> String {
        visit.pathApp.map { SettingsTab.apns.path(of: $0.id) } ?? ConsolePath.home
    }

    private static func view(_ visit: Visit, _ state: FormState) async throws -> APNsView {
        let app = try visit.app
        var key: PushKey?
        do throws(EngineError) {
            key = try await visit.engine.pushKeys.record(of: app.id)
        } catch {
            guard error.isNotFound else { throw error }
        }
        var names: [String: String] = [:]
        for author in [key?.addedBy, key?.candidate?.addedBy].compactMap(\.self) {
            guard let id = OperatorID(author) else { continue }
            names[author] = (try? await visit.engine.operators.record(id))?.displayName
        }
        return APNsView(key, names: names, app, state, visit.look)
    }

    private static func set(_ visit: Visit) async throws -> Outcome {
        let app = try visit.app
        visit.audit.note(object: app.id.description)
        var input = SettingsInput(visit.form, visit.texts)
        let (keyID, teamID) = (input.text("keyID") ?? "", input.text("teamID") ?? "")
        if !isAppleID(keyID) { input.add("keyID", visit.texts("apns.problem.id")) }
        if !isAppleID(teamID) || teamID == keyID { input.add("teamID", visit.texts("apns.problem.id")) }
        let text = visit.form.text("privateKey")
        if PushKeyText.problem(of: text) != nil { input.add("privateKey", visit.texts("apns.problem.key")) }
        try input.finish()
        var request = PushKeyRequest(keyID: keyID, teamID: teamID, privateKey: text)
        request.whenHealthy = true
        request.fileName = input.text("fileName").map { String($0.suffix(200)) }
        do throws(EngineError) {
            _ = try await visit.engine.pushKeys.set(request, of: app.id, by: visit.person.id.description)
        } catch {
            guard error.isInvalid else { throw error }
            throw FormProblems("privateKey", visit.texts("apns.problem.key"))
        }
        let record = try await visit.engine.pushKeys.record(of: app.id)
        let isWaiting = record.candidate != nil
        let found = (isWaiting ? record.candidate?.check : record.check)?.state.rawValue ?? "–"
        visit.audit.note(
            object: app.id.description,
            change: "push key \(keyID): \(isWaiting ? "waits" : "changed"); check: \(found)"
        )
        return .redirect(page(visit), Notice(isWaiting ? "apns.waits" : "apns.set"))
    }

    private static func isAppleID(_ text: String) -> Bool {
        text.count == 10 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }
}

/// The push key as its template shows it.
struct APNsView: PageView {
    static let template = "apns"

    /// What a check found.
    struct Check: Sendable {
        /// A result in one environment.
        struct Row: Hashable, Sendable {
            let environmentName: String
            let environmentState: PillView
            let environmentReason: String
            let environmentFacts: String
        }

        let checkPill: PillView
        let checkAdvice: String
        let checkTime: TimeView
        let environments: [Row]
    }

    let heading: String
    let settingsTabs: [TabView]
    let keyFacts: FactList?
    let bundleCode: String
    let check: Check?
    let waiting: FactList?
    let waitingCheck: Check?
    let apnsPath: String
    let keyIDField: FieldView
    let teamIDField: FieldView
    let privateKeyField: FieldView
    let fileLabel: String
    let summary: [SummaryLink]
    let hasSummary: Bool

    /// Facts for the template `facts`.
    struct FactList: Sendable { let facts: [FactView] }

    init(_ key: PushKey?, names: [String: String], _ app: App, _ state: FormState, _ look: Look) {
        let texts = look.texts
        heading = SettingsTab.apns.title(texts)
        settingsTabs = SettingsTab.apns.tabs(of: app.id, look)
        bundleCode = app.bundleID
        keyFacts = key.map { key in
            FactList(
                facts: [
                    FactView(texts("apns.keyID"), code: key.keyID), FactView(texts("apns.teamID"), code: key.teamID),
                    key.fingerprint.map { FactView(texts("apns.fingerprint"), code: $0) },
                    FactView(texts("apns.added"), look.table(key.updatedAt)),
                    key.addedBy.map { FactView(texts("apns.addedBy"), names[$0] ?? $0) },
                    FactView(texts("apns.lastUsed"), look.table(key.lastUsedAt)),
                ].compactMap(\.self)
            )
        }
        check = key?.check.map { Check($0, look) }
        waiting = key?.candidate.map { candidate in
            FactList(
                facts: [
                    FactView(texts("apns.keyID"), code: candidate.keyID),
                    FactView(texts("apns.teamID"), code: candidate.teamID),
                    candidate.fingerprint.map { FactView(texts("apns.fingerprint"), code: $0) },
                    FactView(texts("apns.added"), look.table(candidate.addedAt)),
                    candidate.addedBy.map { FactView(texts("apns.addedBy"), names[$0] ?? $0) },
                ].compactMap(\.self)
            )
        }
        waitingCheck = key?.candidate?.check.map { Check($0, look) }
        apnsPath = SettingsTab.apns.path(of: app.id)
        keyIDField = state.field("keyID", texts("apns.keyID"), hint: texts("apns.keyIDHint"))
        teamIDField = state.field("teamID", texts("apns.teamID"), hint: texts("apns.teamIDHint"))
        // A key never comes back, also not one that was just typed.
        let bare = FormState(values: FormFields(), problems: state.problems)
        privateKeyField = bare.field("privateKey", texts("apns.privateKey"), hint: texts("apns.privateKeyHint"))
        fileLabel = texts("apns.file")
        summary = state.summary
        hasSummary = !state.problems.isEmpty
    }
}

extension APNsView.Check {
    init(_ check: PushKeyCheck, _ look: Look) {
        let texts = look.texts
        checkPill = check.state.pill(texts)
        checkAdvice = texts.word("pushKey.advice", check.state.rawValue)
        checkTime = look.times.table(check.checkedAt)
        environments = check.environments.map { environment in
            let facts = [
                environment.address,
                environment.tlsVersion.map { "TLS \($0)" },
                environment.latencyMilliseconds.map { look.numbers.full($0) + " ms" },
                environment.clockOffsetSeconds.map { texts("apns.offset", ["seconds": look.numbers.full($0)]) },
            ].compactMap(\.self)
            return Row(
                environmentName: texts.word("apns.environment", environment.name),
                environmentState: environment.state.pill(texts),
                environmentReason: environment.reason ?? "–",
                environmentFacts: facts.joined(separator: " · ")
            )
        }
    }
}

extension PushKeyCheck.State {
    /// The state in words, with its colour.
    func pill(_ texts: Texts) -> PillView {
        let colour =
            switch self {
            case .healthy: "good"
            case .busy, .unreachable: "warn"
            case .wrongTeam, .wrongKeyID, .wrongTeamOrKeyID, .revoked, .wrongEnvironment, .wrongTopic, .clockOff,
                .refused, .unusable:
                "bad"
            }
        return PillView(words: texts.word("pushKey.state", rawValue), colour: colour)
    }
}
