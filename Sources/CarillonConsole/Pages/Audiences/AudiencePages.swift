import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes

/// Saved Audiences: rules with names.
enum AudiencePages {
    private static let list = "/apps/{app}/audiences"
    private static let one = list + "/{audience}"
    /// Campaigns that are looked at for those that have an Audience's rule.
    private static let usesLimit = 200

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page(list, .app(.viewer)) { visit in
            let after = visit.query["after"].flatMap { AudienceID($0) }
            let page = try await visit.engine.audiences.list(app: try visit.app.id, after: after, limit: 50)
            let latest = try await latest(visit)
            return .page(AudiencesView(page, latest, isFirst: after == nil, of: try visit.app.id, visit))
        }
        routes.page(list + "/new", .app(.editor)) { visit in .page(try await page(nil, .empty, visit)) }
        routes.form(list + "/new", .app(.editor)) { visit, state in
            try await page(nil, state, visit)
        } submit: { visit in
            try await save(nil, visit)
        }
        routes.page(one, .app(.viewer)) { visit in .page(try await page(try await found(visit), .empty, visit)) }
        routes.form(one, .app(.editor)) { visit, state in
            try await page(try await found(visit), state, visit)
        } submit: { visit in
            try await save(try await found(visit), visit)
        }
        routes.action(one + "/count", .app(.editor), on: path) { visit in
            let audience = try await found(visit)
            visit.audit.noteQuestion()
            _ = try await visit.engine.audiences.count(audience.id, within: audience.app)
            return .redirect(AppPath(app: audience.app).audience(audience.id))
        }
        routes.form(one + "/delete", .app(.editor)) { visit, state in
            try await page(try await found(visit), state, visit)
        } submit: { visit in
            try await delete(try await found(visit), visit)
        }
    }

    // MARK: - Private

    private static func found(_ visit: Visit) async throws -> SavedAudience {
        let id = try visit.parameter("audience") { AudienceID($0) }
        visit.audit.note(object: id.description)
        return try await visit.engine.audiences.audience(id, within: try visit.app.id)
    }

    private static func latest(_ visit: Visit) async throws -> [Campaign] {
        try await visit.engine.campaigns.list(app: try visit.app.id, after: nil, limit: usesLimit).items
    }

    private static func page(
        _ audience: SavedAudience?,
        _ state: FormState,
        _ visit: Visit
    ) async throws -> SavedAudienceView {
        guard let audience else { return SavedAudienceView(nil, [], state, visit) }
        let uses = try await latest(visit).filter { audience.isUsed(by: $0) }
        return SavedAudienceView(audience, uses, state, visit)
    }

    private static func path(_ visit: Visit) -> String {
        guard let app = visit.pathApp?.id, let id = visit.parameters["audience"].flatMap({ AudienceID($0) }) else {
            return ConsolePath.home
        }
        return AppPath(app: app).audience(id)
    }

    /// Changes the version that the form was opened with.
    private static func change(
        _ audience: SavedAudience,
        _ update: AudienceUpdate,
        _ visit: Visit
    ) async throws(EngineError) -> AudienceSaving {
        let read = Int64(visit.form.text("seen")).map { Timestamp(rawValue: $0) } ?? Timestamp(rawValue: 0)
        return try await visit.engine.audiences.save(audience.id, within: audience.app, update, ifChangedAt: read)
    }

    private static func save(_ audience: SavedAudience?, _ visit: Visit) async throws -> Outcome {
        let (app, texts) = (try visit.app.id, visit.texts)
        let name = visit.form.text("name").trimmed
        guard (1...200).contains(name.count) else {
            throw FormProblems("name", texts("problem.length", ["least": "1", "most": "200"]))
        }
        let rule: AudienceRule
        do {
            rule = try AudienceRule(text: visit.form.text("rule"))
        } catch let error {
            let place = ["line": String(error.line), "column": String(error.column)]
            throw FormProblems("rule", texts("target.badText", place))
        }
        var saved: SavedAudience
        do throws(EngineError) {
            if let audience {
                switch try await change(audience, AudienceUpdate(name: name, rule: rule), visit) {
                case .saved(let changed): saved = changed
                case .outdated(let current):
                    return .other(.conflict, AudienceConflictView(current, name: name, rule: rule.text, visit))
                }
            } else {
                saved = try await visit.engine.audiences.create(app: app, AudienceRequest(name: name, rule: rule))
            }
        } catch {
            if case .conflict = error { throw FormProblems("name", texts("audiences.nameTaken")) }
            if error.fieldErrors.contains(where: { $0.field == "rule" }) {
                throw FormProblems("rule", texts("target.unknownNames"))
            }
            throw error
        }
        // The number on its page is that of this rule.
        saved = (try? await visit.engine.audiences.count(saved.id, within: app)) ?? saved
        let change = audience.map { "\($0.name): \($0.rule) → " } ?? ""
        visit.audit.note(object: saved.id.description, change: "\(change)\(saved.name): \(saved.rule)")
        return .redirect(AppPath(app: app).audience(saved.id), Notice("audiences.saved", ["name": saved.name]))
    }

    private static func delete(_ audience: SavedAudience, _ visit: Visit) async throws -> Outcome {
        do throws(EngineError) {
            try await visit.engine.audiences.delete(audience.id, within: audience.app)
        } catch {
            guard case .conflict = error else { throw error }
            throw FormProblems(nil, visit.texts("audiences.inUse"))
        }
        visit.audit.note(object: audience.id.description, change: "\(audience.name): deleted")
        return .redirect(AppPath(app: audience.app).audiences, Notice("audiences.deleted", ["name": audience.name]))
    }
}

extension SavedAudience {
    /// Whether a Campaign is for it, or was accepted with the rule that it has now.
    func isUsed(by campaign: Campaign) -> Bool {
        switch campaign.audience {
        case .saved(let audience): audience == id
        case .rule(let text): text.text == rule
        case .all, .users, .devices, .redacted: false
        }
    }
}

extension AppPath {
    var audiences: String { home + "/audiences" }

    func audience(_ id: AudienceID) -> String { "\(audiences)/\(id)" }
}
