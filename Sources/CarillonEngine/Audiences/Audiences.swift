package import CarillonModel
package import CarillonOperatorModel

/// Saved Audiences, and estimates of rules before a Campaign is sent.
///
/// `within` is the App of the caller's key, `nil` for a key of the server; Audiences of other Apps are not found.
package struct Audiences: Sendable {
    /// Maximum number of saved Audiences of one App.
    package static let maximumCount = 1_000
    private static let maximumPage = 200
    private static let maximumLanguages = 50

    private let store: any AudienceStore
    private let apps: Apps
    private let ids: IDSource
    private let clock: any WallClock

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores and counts Audiences.
    ///   - apps: The Apps and their rules.
    ///   - ids: Generates ids.
    ///   - clock: The value of `now` in estimates.
    package init(store: any AudienceStore, apps: Apps, ids: IDSource, clock: any WallClock) {
        self.store = store
        self.apps = apps
        self.ids = ids
        self.clock = clock
    }

    /// Saves a rule under a name.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` when it names tags or Campaigns that the App does not have,
    ///   ``EngineError/conflict(_:)`` when the name is taken or the App has 1,000 Audiences,
    ///   ``EngineError/notFound(_:)`` when there is no such App.
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

    /// Returns saved Audiences in order of creation.
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

    /// Changes name or rule; accepted Campaigns keep the rule that they have.
    ///
    /// - Throws: As ``create(app:_:for:)``.
    package func change(
        _ id: AudienceID,
        within app: AppID?,
        _ update: AudienceUpdate
    ) async throws(EngineError) -> SavedAudience {
        switch try await save(id, within: app, update, ifChangedAt: nil) {
        case .saved(let audience): return audience
        case .outdated: throw .conflict("The audience was changed meanwhile.")
        }
    }

    /// Changes name or rule of the version that somebody read.
    ///
    /// - Parameters:
    ///   - id: The Audience.
    ///   - app: Only if it belongs to this App; `nil` for any.
    ///   - update: The change.
    ///   - read: When that version was changed; `nil` for any version.
    /// - Returns: The Audience, or the version that somebody else made.
    /// - Throws: As ``create(app:_:for:)``.
    package func save(
        _ id: AudienceID,
        within app: AppID?,
        _ update: AudienceUpdate,
        ifChangedAt read: Timestamp?
    ) async throws(EngineError) -> AudienceSaving {
        let found = try await audience(id, within: app)
        if let rule = update.rule { try await store.checkNames(in: rule, app: found.app, field: "rule") }
        let change = try await stored(
            try await store.change(id, within: app, update, ifChangedAt: read, at: clock.now())
        )
        if case .outdated(let current) = change { return .outdated(current) }
        return .saved(try kept(change, missing: .audience))
    }

    /// Counts the Devices of a saved Audience and stores the number with its time.
    ///
    /// - Throws: ``EngineError/notFound(_:)``.
    package func count(_ id: AudienceID, within app: AppID?) async throws(EngineError) -> SavedAudience {
        let found = try await audience(id, within: app)
        let estimate = try await estimate(app: found.app, .saved(id))
        let counted = try await stored(try await store.setCount(estimate, of: found, at: clock.now()))
        guard let counted else { throw .notFound(.audience) }
        return counted
    }

    /// Deletes one that no draft is for; accepted Campaigns keep its rule.
    ///
    /// - Throws: ``EngineError/notFound(_:)``, ``EngineError/conflict(_:)`` naming drafts that are for it.
    package func delete(_ id: AudienceID, within app: AppID?) async throws(EngineError) {
        switch try await stored(try await store.deleteAudience(id, within: app)) {
        case .deleted: return
        case .missing: throw .notFound(.audience)
        case .used(let drafts):
            throw .conflict("Drafts are for the audience: \(drafts.map(\.description).joined(separator: ", ")).")
        }
    }

    // MARK: - Questions

    /// Parses a rule.
    ///
    /// - Parameters:
    ///   - request: The rule.
    ///   - app: The App whose tags and Campaigns are looked up; `nil` skips the lookup.
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

    /// Estimates the size of an Audience, and how many Devices of it can be reached.
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
        case .full: throw .conflict("The App has the maximum of \(Self.maximumCount) audiences.")
        case .missing: throw .notFound(missing)
        case .outdated: throw .conflict("The audience was changed meanwhile.")
        }
    }
}

/// The result of changing a saved Audience that somebody read.
package enum AudienceSaving: Hashable, Sendable {
    case saved(SavedAudience)
    /// Somebody else changed it since.
    case outdated(SavedAudience)
}

extension AudienceLookUp {
    /// Returns the Audience that an accepted Campaign stores, with a saved rule in place of its id.
    ///
    /// - Throws: ``EngineError/invalid(_:)`` when there is no such saved Audience, or a rule names tags or Campaigns
    ///   that the App does not have. A saved rule may name deleted ones, which match no Device.
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
