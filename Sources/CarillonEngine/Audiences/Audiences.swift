package import CarillonModel
package import CarillonOperatorModel

/// Saved Audiences, and what operators ask about rules before they send.
///
/// `within` is the App of the caller's key, `nil` for a key of the server: an Audience of another App does not exist.
package struct Audiences: Sendable {
    /// The most saved Audiences of one App.
    package static let maximumCount = 1_000
    private static let maximumPage = 200
    private static let maximumLanguages = 50

    private let store: any AudienceStore
    private let apps: Apps
    private let ids: IDSource
    private let clock: any WallClock

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - store: Keeps and counts Audiences.
    ///   - apps: Knows the Apps and their rules.
    ///   - ids: Makes ids.
    ///   - clock: What `now` means in a rule that is estimated.
    package init(store: any AudienceStore, apps: Apps, ids: IDSource, clock: any WallClock) {
        self.store = store
        self.apps = apps
        self.ids = ids
        self.clock = clock
    }

    /// Saves a rule under a name.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` when it names what the App does not have, ``EngineError/conflict(_:)`` when
    ///   the name is taken or the App has 1,000 Audiences, ``EngineError/notFound(_:)`` when there is no such App.
    package func create(
        app: AppID,
        _ request: AudienceRequest,
        for repeatable: IdempotentRequest<SavedAudience>? = nil
    ) async throws(EngineError) -> SavedAudience {
        _ = try await apps.facts(app)
        try await store.checkNames(in: request.rule, app: app, field: "rule")
        let audience = SavedAudience(
            id: ids.next(),
            app: app,
            name: request.name,
            rule: request.rule,
            createdAt: clock.now()
        )
        return try kept(
            try await stored(try await store.insert(audience, limit: Self.maximumCount, for: repeatable)),
            missing: .app
        )
    }

    /// Saved Audiences in the order in which they were made.
    package func list(
        app: AppID?,
        after id: AudienceID?,
        limit: Int
    ) async throws(EngineError) -> Page<SavedAudience> {
        let limit = min(max(1, limit), Self.maximumPage)
        let found = try await stored(try await store.audiences(app: app, after: id, limit: limit + 1))
        return Page(found, limit: limit) { $0.id.description }
    }

    package func audience(_ id: AudienceID, within app: AppID?) async throws(EngineError) -> SavedAudience {
        let found = try await stored(try await store.savedAudience(id, within: app))
        guard let found else { throw .notFound(.audience) }
        return found
    }

    /// Changes name or rule; Campaigns that were accepted keep the rule that they have.
    ///
    /// - Throws: As ``create(app:_:)``.
    package func change(
        _ id: AudienceID,
        within app: AppID?,
        _ update: AudienceUpdate
    ) async throws(EngineError) -> SavedAudience {
        let found = try await audience(id, within: app)
        if let rule = update.rule { try await store.checkNames(in: rule, app: found.app, field: "rule") }
        return try kept(
            try await stored(try await store.change(id, within: app, update, at: clock.now())),
            missing: .audience
        )
    }

    package func delete(_ id: AudienceID, within app: AppID?) async throws(EngineError) {
        let wasThere = try await stored(try await store.deleteAudience(id, within: app))
        guard wasThere else { throw .notFound(.audience) }
    }

    // MARK: - Questions

    /// Tells what a rule says, or where its text is wrong.
    ///
    /// - Parameters:
    ///   - request: The rule.
    ///   - app: Among whose tags and Campaigns names are looked for; `nil` does not look.
    /// - Returns: Both forms of the rule, or the first error.
    /// - Throws: ``EngineError/store(_:)``.
    package func parse(
        _ request: AudienceParseRequest,
        app: AppID?
    ) async throws(EngineError) -> AudienceParseAnswer {
        var unknown: [AudienceTerm] = []
        if let app, case .success(let rule) = request.rule {
            unknown = try await stored(try await store.unknownNames(in: rule, app: app))
        }
        return AudienceParseAnswer(request.rule, unknown: unknown.map(\.text))
    }

    /// Counts an Audience, and whom of it something would reach.
    ///
    /// - Throws: As ``AudienceLookUp/resolved(_:app:)``, ``EngineError/notFound(_:)`` when there is no such App.
    package func estimate(app: AppID, _ audience: Audience) async throws(EngineError) -> AudienceEstimate {
        let facts = try await apps.facts(app)
        let resolved = try await store.resolved(audience, app: app)
        let now = clock.now()
        let question = AudienceCountQuestion(
            app: app,
            audience: resolved,
            adRule: facts.adRule,
            now: now,
            oldestRegistration: facts.oldestRegistration(at: now)
        )
        let count = try await stored(try await store.count(question))
        return AudienceEstimate(count, languages: Self.maximumLanguages)
    }

    // MARK: - Private

    private func kept(
        _ change: AudienceChange,
        missing: EngineError.Subject
    ) throws(EngineError) -> SavedAudience {
        switch change {
        case .kept(let audience): return audience
        case .nameTaken: throw .conflict("Another audience of the App has this name.")
        case .full: throw .conflict("The App has \(Self.maximumCount) audiences, as many as there may be.")
        case .missing: throw .notFound(missing)
        }
    }
}

extension AudienceLookUp {
    /// The Audience that an accepted Campaign keeps: the rule of a saved one in its place.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` when there is no such saved Audience, or a rule names tags or Campaigns that
    ///   the App does not have. A saved rule may: what was deleted since matches nobody.
    package func resolved(_ audience: Audience, app: AppID) async throws(EngineError) -> Audience {
        switch audience {
        case .all, .users, .devices: return audience
        case .redacted: throw .invalid(FieldError(field: "audience.redacted", problem: "must be missing"))
        case .rule(let rule):
            try await checkNames(in: rule, app: app, field: "audience.rule")
            return audience
        case .saved(let id):
            let saved = try await stored(try await savedAudience(id, within: app))
            guard let saved else {
                throw .invalid(FieldError(field: "audience.saved", problem: "must be a saved audience of the App"))
            }
            do throws(AudienceTextError) {
                return .rule(try AudienceRule(text: saved.rule))
            } catch {
                throw .store(.failed("A saved audience's rule cannot be read."))
            }
        }
    }

    func checkNames(in rule: AudienceRule, app: AppID, field: String) async throws(EngineError) {
        let unknown = try await stored(try await unknownNames(in: rule, app: app))
        guard !unknown.isEmpty else { return }
        let names = unknown.prefix(8).map(\.text).joined(separator: ", ")
        throw .invalid(FieldError(field: field, problem: "must name what the App has, not \(names)"))
    }
}

extension AudienceEstimate {
    fileprivate init(_ count: AudienceCount, languages limit: Int) {
        func scaled(_ number: Int) -> Int { Int((Double(number) * count.factor).rounded()) }
        var languages: [String: Int] = [:]
        for (tag, devices) in count.languages where !tag.isEmpty {
            let language = String(tag.prefix { $0 != "-" && $0 != "_" }).lowercased()
            languages[language, default: 0] += devices
        }
        let most = languages.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(limit)
        self.init(
            isExact: count.isExact,
            devices: scaled(count.devices),
            margin: Int(count.margin.rounded(.up)),
            reach: Reach(
                notifications: scaled(count.notifications),
                ads: scaled(count.ads),
                nightAds: scaled(count.nightAds),
                voip: scaled(count.voip)
            ),
            languages: Dictionary(uniqueKeysWithValues: most.map { ($0.key, scaled($0.value)) })
        )
    }
}
