import CarillonBytes
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Crypto
import HTTPTypes

/// A page with one form of settings.
///
/// What is shared: the page's state when it was opened comes back with the form, so that two admins who save at the same
/// time do not overwrite each other unseen; and the audit log has each value before and after.
protocol SettingsForm: Sendable {
    /// What is saved.
    associatedtype Saved: Sendable

    static var tab: SettingsTab { get }
    /// Whether saving asks anew who is there.
    static var isFresh: Bool { get }
    /// Reads what is saved.
    static func read(_ visit: Visit) async throws -> Saved
    /// The form of what is saved.
    static func sections(_ saved: Saved, _ texts: Texts) -> [SettingsSection]
    /// What stands above the form.
    static func facts(_ saved: Saved, _ look: Look) -> [FactView]
    /// What leads to related pages.
    static func links(_ visit: Visit) -> [SettingsLink]
    /// Saves what the form says; the input's problems are thrown.
    ///
    /// - Returns: What is saved now.
    static func save(_ input: SettingsInput, _ saved: Saved, _ visit: Visit) async throws -> Saved
    /// A secret that saving made; `nil` without one.
    static func secretPage(_ saved: Saved, _ visit: Visit) throws -> SecretPage?
}

/// A link below a form.
struct SettingsLink: Hashable, Sendable {
    let linkTitle: String
    let linkPath: String
}

extension SettingsForm {
    static var isFresh: Bool { false }

    static func facts(_ saved: Saved, _ look: Look) -> [FactView] { [] }

    static func links(_ visit: Visit) -> [SettingsLink] { [] }

    static func secretPage(_ saved: Saved, _ visit: Visit) throws -> SecretPage? { nil }

    /// Declares the page and its form.
    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page(tab.route, .app(.admin)) { visit in .page(try await view(visit, .empty)) }
        routes.form(tab.route, .app(.admin), fresh: isFresh) { visit, state in
            try await view(visit, state)
        } submit: { visit in
            try await submit(visit)
        }
    }

    // MARK: - Private

    private static func view(_ visit: Visit, _ state: FormState) async throws -> SettingsView {
        let saved = try await read(visit)
        return SettingsView(
            tab,
            sections(saved, visit.texts),
            facts: facts(saved, visit.look),
            links: links(visit),
            state,
            of: try visit.app,
            visit.look
        )
    }

    private static func submit(_ visit: Visit) async throws -> Outcome {
        let app = try visit.app
        // A refusal is recorded with the object as well.
        visit.audit.note(object: app.id.description)
        let saved = try await read(visit)
        let before = sections(saved, visit.texts)
        if let seen = visit.form[SettingsVersion.field], seen != SettingsVersion.text(of: before) {
            return .other(.conflict, try await conflict(before, saved, visit))
        }
        let after = try await save(SettingsInput(visit.form, visit.texts), saved, visit)
        visit.audit.note(
            object: app.id.description,
            change: SettingsVersion.change(from: before, to: sections(after, visit.texts))
        )
        if let page = try secretPage(after, visit) { return .page(page) }
        return .redirect(tab.path(of: app.id), Notice("settings.saved"))
    }

    private static func conflict(
        _ saved: [SettingsSection],
        _ model: Saved,
        _ visit: Visit
    ) async throws -> SettingsView {
        let change = try await SettingsConflict.lastChange(visit)
        let rows = saved.flatMap(\.fields).compactMap { field -> SettingsView.Difference? in
            let typed = visit.form.text(field.name)
            guard typed != field.value else { return nil }
            return SettingsView.Difference(
                differenceName: field.label(visit.texts),
                savedWords: field.words(field.value, visit.texts),
                typedWords: field.words(typed, visit.texts)
            )
        }
        var view = SettingsView(
            tab,
            saved,
            facts: facts(model, visit.look),
            links: links(visit),
            FormState(values: visit.form),
            of: try visit.app,
            visit.look
        )
        view.differences = rows
        view.conflictWords = change
        return view
    }
}

/// What a form of settings had when it was opened.
enum SettingsVersion {
    static let field = "_seen"

    /// A short text of all values, which differs when one does.
    static func text(of sections: [SettingsSection]) -> String {
        let text = sections.flatMap(\.fields).map { "\($0.name)\u{1F}\($0.value)" }.joined(separator: "\u{1E}")
        return Hexadecimal.encode(Array(SHA256.hash(data: Array(text.utf8))).prefix(12))
    }

    /// What differs, for the audit log; `nil` when nothing does.
    static func change(from before: [SettingsSection], to after: [SettingsSection]) -> String? {
        let former = Dictionary(
            before.flatMap(\.fields).map { ($0.name, $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
        let changes = after.flatMap(\.fields).compactMap { field -> String? in
            let old = former[field.name] ?? ""
            return old == field.value ? nil : "\(field.name): \(shown(old)) → \(shown(field.value))"
        }
        let names = after.flatMap(\.fields).map(\.name)
        let gone = Set(former.keys).subtracting(names).sorted().map { "\($0): removed" }
        let all = changes + gone
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    private static func shown(_ value: String) -> String {
        value.isEmpty ? "–" : value.count > 80 ? String(value.prefix(80)) + "…" : value
    }
}

/// Who saved settings meanwhile.
enum SettingsConflict {
    /// Who last changed the App, in a sentence; the audit log knows it.
    static func lastChange(_ visit: Visit) async throws -> String {
        let entries = try await visit.engine.audit.entries(AuditQuery(app: try visit.app.id), limit: 20).items
        let last = entries.first { entry in
            entry.status < 300 && (entry.action.contains("/settings/") || entry.action.contains(" /v1/apps/"))
        }
        guard let last else { return visit.texts("settings.conflict.unknown") }
        var name = last.actor
        if let id = OperatorID(last.actor), let person = try? await visit.engine.operators.record(id) {
            name = person.displayName
        }
        return visit.texts("settings.conflict.who", ["name": name, "time": visit.times.sentence(last.at).text])
    }
}
