import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Tags, and who has them.
enum TagPages {
    private static let list = "/apps/{app}/tags"
    private static let one = list + "/{tag}"
    /// Maximum size of a form with a list in bytes: 100,000 ids of the usual length, typed ones percent-encoded.
    static let listLimit = 16 * 1_024 * 1_024
    /// How many Devices of a tag are looked at for a count, in the list and on its page.
    private static let (listCount, pageCount) = (1_000, 20_000)

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page(list, .app(.viewer)) { visit in .page(try await tags(visit)) }
        routes.page(list + "/new", .app(.editor)) { visit in .page(NewTagView(.empty, visit)) }
        routes.form(list + "/new", .app(.editor)) { visit, state in
            NewTagView(state, visit)
        } submit: { visit in
            try await create(visit)
        }
        routes.page(one, .app(.viewer)) { visit in .page(try await page(.empty, visit)) }
        routes.form(one, .app(.editor), show: show) { visit in try await rename(try await found(visit), visit) }
        routes.form(one + "/delete", .app(.editor), show: show) { visit in
            try await delete(try await found(visit), visit)
        }
        routes.form(one + "/merge", .app(.editor), show: show) { visit in
            try await merge(try await found(visit), visit)
        }
        routes.form(one + "/list", .app(.editor), bodyLimit: listLimit, show: show) { visit in
            try await change(try await found(visit), visit)
        }
    }

    // MARK: - Pages

    private static func tags(_ visit: Visit) async throws -> TagsView {
        let (app, text) = (try visit.app.id, SearchPage.text(visit.query))
        let after = visit.query["after"]
        let page = try await visit.engine.tags.search(app: app, text, after: after, limit: 50)
        let counts = try await visit.engine.tags.userCounts(of: page.items.map(\.id), app: app, limit: listCount)
        let names = try await authors(page.items, visit)
        return TagsView(page, counts, names, text, isFirst: after == nil, visit)
    }

    @Sendable private static func show(_ visit: Visit, _ state: FormState) async throws -> any PageView {
        try await page(state, visit)
    }

    private static func page(_ state: FormState, _ visit: Visit) async throws -> TagView {
        let tag = try await found(visit)
        let (app, engine) = (try visit.app.id, visit.engine)
        let uses = try await engine.tags.uses(app: app, tag.id)
        var campaigns: [Campaign] = []
        for id in uses.campaigns { campaigns.append(try await engine.campaigns.campaign(id, within: app)) }
        let after = visit.query["after"].flatMap { TagUserPosition(text: $0) }
        let model = TagModel(
            tag: tag,
            author: try await authors([tag], visit)[tag.id],
            count: try await engine.tags.userCounts(of: [tag.id], app: app, limit: pageCount)[tag.id],
            audiences: uses.audiences,
            campaigns: campaigns,
            users: try await engine.tags.users(of: tag.id, app: app, after: after, limit: 50),
            isFirst: after == nil
        )
        return TagView(model, state, visit)
    }

    /// The words for who created some tags.
    private static func authors(_ tags: [Tag], _ visit: Visit) async throws -> [TagID: String] {
        var names: [CampaignAuthor: String] = [:]
        for author in Set(tags.compactMap(\.createdBy)) {
            switch author {
            case .operator(let id):
                names[author] = (try? await visit.engine.operators.record(id))?.displayName ?? "\(id)"
            case .key(let id): names[author] = visit.texts("tags.byKey", ["id": "\(id)"])
            case .vendorAPI(let api): names[author] = visit.texts("tags.byVendor", ["name": api.rawValue])
            }
        }
        let pairs = tags.compactMap { tag in tag.createdBy.flatMap { names[$0] }.map { (tag.id, $0) } }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func found(_ visit: Visit) async throws -> Tag {
        let id = try visit.parameter("tag") { TagID(rawValue: $0) }
        visit.audit.note(object: id.description)
        return try await visit.engine.tags.tag(app: try visit.app.id, id)
    }

    // MARK: - Changes

    private static func request(_ visit: Visit) throws -> TagRequest {
        let name = visit.form.text("name").trimmed
        guard (1...255).contains(name.count), !name.contains(where: \.isWhitespace), !name.hasControls else {
            throw FormProblems("name", visit.texts("tags.badName"))
        }
        return TagRequest(name: name)
    }

    private static func create(_ visit: Visit) async throws -> Outcome {
        let (app, request) = (try visit.app.id, try request(visit))
        let tag: Tag
        do throws(EngineError) {
            let author = CampaignAuthor.operator(visit.person.id)
            tag = try await visit.engine.tags.create(app: app, request, by: author)
        } catch {
            guard case .conflict = error else { throw error }
            throw FormProblems("name", visit.texts("tags.nameTaken"))
        }
        visit.audit.note(object: tag.id.description, change: "new tag \(tag.name)")
        return .redirect(AppPath(app: app).tag(tag.id), Notice("tags.made", ["name": tag.name]))
    }

    private static func rename(_ tag: Tag, _ visit: Visit) async throws -> Outcome {
        let (app, request) = (try visit.app.id, try request(visit))
        do throws(EngineError) {
            _ = try await visit.engine.tags.rename(app: app, tag.id, request)
        } catch {
            guard case .conflict = error else { throw error }
            throw FormProblems("name", visit.texts("tags.nameTaken"))
        }
        visit.audit.note(object: tag.id.description, change: "\(tag.name) → \(request.name)")
        return .redirect(AppPath(app: app).tag(tag.id), Notice("tags.renamed", ["name": request.name]))
    }

    private static func delete(_ tag: Tag, _ visit: Visit) async throws -> Outcome {
        let app = try visit.app.id
        do throws(EngineError) {
            try await visit.engine.tags.delete(app: app, tag.id)
        } catch {
            guard case .conflict = error else { throw error }
            throw FormProblems(nil, visit.texts("tags.inUse"))
        }
        visit.audit.note(object: tag.id.description, change: "\(tag.name): deleted")
        return .redirect(AppPath(app: app).tags, Notice("tags.deleted", ["name": tag.name]))
    }

    private static func merge(_ tag: Tag, _ visit: Visit) async throws -> Outcome {
        let (app, engine, texts) = (try visit.app.id, visit.engine, visit.texts)
        let name = visit.form.text("into").trimmed
        var target = try await engine.tags.list(app: app, named: name, after: nil, limit: 1).items.first
        if target == nil, let id = TagID(rawValue: name) { target = try? await engine.tags.tag(app: app, id) }
        guard let target, target.id != tag.id else { throw FormProblems("into", texts("tags.badTarget")) }
        let merge: TagMerge
        do throws(EngineError) {
            merge = try await engine.tags.merge(app: app, tag.id, into: target.id)
        } catch {
            guard case .conflict = error else { throw error }
            throw FormProblems(nil, texts("tags.inUse"))
        }
        let parameters = ["name": tag.name, "into": target.name, "users": visit.numbers.full(merge.users)]
        let state = merge.isComplete ? "done" : "not done"
        let change = "\(tag.name) merged into \(target.id) \(target.name): \(merge.users) Users, \(state)"
        visit.audit.note(object: tag.id.description, change: change)
        guard merge.isComplete else {
            return .redirect(AppPath(app: app).tag(tag.id), Notice("tags.mergedSome", parameters))
        }
        return .redirect(AppPath(app: app).tag(target.id), Notice("tags.merged", parameters))
    }

    private static func change(_ tag: Tag, _ visit: Visit) async throws -> Outcome {
        let (app, texts) = (try visit.app.id, visit.texts)
        guard let change = TagListChange(rawValue: visit.form.text("do")) else {
            throw FormProblems(nil, texts("problem.other"))
        }
        let (typed, file) = (visit.form.text("list"), visit.form["file"] ?? "")
        guard !typed.trimmed.isEmpty || !file.trimmed.isEmpty else {
            throw FormProblems("list", texts("tags.noList"))
        }
        visit.audit.note(object: tag.id.description, change: "\(tag.name): \(change.rawValue) by list")
        let result: TagListResult
        do throws(EngineError) {
            var reading = try await visit.engine.tags.beginList(change, of: tag.id, app: app)
            try await reading.read(typed.utf8)
            try await reading.read("\n".utf8)
            try await reading.read(file.utf8)
            result = try await reading.finish()
        } catch {
            guard error.isInvalid || !error.fieldErrors.isEmpty else { throw error }
            throw FormProblems("list", texts("tags.longList"))
        }
        let counts =
            "\(result.changed) changed, \(result.unchanged) as before, \(result.problems.count) not found or refused"
        visit.audit.note(object: tag.id.description, change: "\(tag.name): \(change.rawValue) by list: \(counts)")
        guard !result.problems.isEmpty else {
            let parameters = [
                "changed": visit.numbers.full(result.changed), "unchanged": visit.numbers.full(result.unchanged),
            ]
            return .redirect(AppPath(app: app).tag(tag.id), Notice("tags.list.\(change.rawValue)", parameters))
        }
        return .page(TagListView(result, change, of: tag, visit))
    }
}

extension String {
    fileprivate var hasControls: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}

extension AppPath {
    var tags: String { home + "/tags" }

    func tag(_ id: TagID) -> String { "\(tags)/\(id)" }
}
