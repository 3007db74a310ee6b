package import CarillonModel
package import CarillonOperatorModel

/// The tags of an App, which operators create and Devices add to their Users.
package struct Tags: Sendable {
    /// Maximum number of tags of one App.
    package static let maximumCount = 2_048
    /// Maximum number of Devices of a User whose tags can be changed: an id that more Devices share does not identify a
    /// person.
    package static let maximumDevices = 256
    /// Attempts to generate an unused id; ids are random, of 62⁸.
    private static let attempts = 8

    let store: any TagStore
    let apps: Apps
    private let clock: any WallClock
    private let random: RandomBytes

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores tags.
    ///   - apps: Checks that an App exists.
    ///   - clock: The time of creation.
    ///   - random: Generates ids.
    package init(store: any TagStore, apps: Apps, clock: any WallClock, random: RandomBytes = .system) {
        self.store = store
        self.apps = apps
        self.clock = clock
        self.random = random
    }

    private static let nameTaken = EngineError.conflict("Another tag of the App has this name.")

    // MARK: Operators

    /// Creates a tag with a new id.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/conflict(_:)`` when it has 2,048
    ///   tags, or one of this name.
    package func create(
        app: AppID,
        _ request: TagRequest,
        for repeatable: IdempotentRequest<Tag>? = nil,
        by author: CampaignAuthor? = nil
    ) async throws(EngineError) -> Tag {
        _ = try await apps.facts(app)
        for _ in 0..<Self.attempts {
            guard let id = TagID.random(random) else { continue }
            let tag = Tag(id: id, name: request.name, createdAt: clock.now(), createdBy: author)
            let insertion = try await stored(
                try await store.insert(tag, app: app, limit: Self.maximumCount, for: repeatable)
            )
            switch insertion {
            case .added: return tag
            case .taken: continue
            case .nameTaken: throw Self.nameTaken
            case .full: throw .conflict("The App has the maximum of \(Self.maximumCount) tags.")
            }
        }
        throw .store(.failed("No new tag id was found."))
    }

    /// Returns tags of an App ordered by id.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - name: Only those of this name; `nil` for all.
    ///   - after: The last one of the page before.
    ///   - limit: 1 through 1,000.
    /// - Returns: The page; empty when there are none.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func list(
        app: AppID,
        named name: String? = nil,
        after: TagID?,
        limit: Int
    ) async throws(EngineError) -> Page<Tag> {
        _ = try await apps.facts(app)
        let limit = min(max(1, limit), 1_000)
        let found = try await stored(try await store.tags(app: app, named: name, after: after, limit: limit + 1))
        return Page(found, limit: limit) { $0.id.rawValue }
    }

    /// Deletes a tag and removes it from all Users.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - tag: The tag.
    ///   - evenIfUsed: Whether rules may name it, which then match nobody by it.
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such tag, ``EngineError/conflict(_:)`` naming saved
    ///   Audiences and Campaigns whose rules name it.
    package func delete(app: AppID, _ tag: TagID, evenIfUsed: Bool = false) async throws(EngineError) {
        // First completes an interrupted deletion.
        try await stored(try await store.removeLeftovers(app: app))
        switch try await stored(try await store.delete(tag, app: app, evenIfUsed: evenIfUsed, movingTo: nil)) {
        case .deleted: return
        case .missing: throw .notFound(.tag)
        case .used(let uses): throw Self.conflict(uses)
        }
    }

    /// Returns a tag.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such tag.
    package func tag(app: AppID, _ tag: TagID) async throws(EngineError) -> Tag {
        let found = try await stored(try await store.tag(tag, app: app))
        guard let found else { throw .notFound(.tag) }
        return found
    }

    /// Renames a tag; Devices and audiences refer to its id and do not change.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such tag, ``EngineError/conflict(_:)`` when another has
    ///   the name.
    package func rename(app: AppID, _ tag: TagID, _ request: TagRequest) async throws(EngineError) -> Tag {
        let now = clock.now()
        switch try await stored(try await store.rename(tag, to: request.name, app: app, at: now)) {
        case .renamed(let tag): return tag
        case .nameTaken: throw Self.nameTaken
        case .missing: throw .notFound(.tag)
        }
    }

    // MARK: Devices

    /// Returns the tags of a Device's User.
    ///
    /// - Throws: ``EngineError/notFound(_:)``; ``EngineError/refused(_:)`` when the secret is not the Device's, or it
    ///   has no User.
    package func tags(of caller: DeviceCaller) async throws(EngineError) -> TagSet {
        TagSet(tags: try await stored(try await store.tags(of: caller)).get())
    }

    /// Changes the tags of a Device's User, on all of the User's Devices.
    ///
    /// - Throws: As ``tags(of:)``, and the errors of ``TagChange/plan(for:isKnown:)``.
    package func apply(_ change: TagChange, of caller: DeviceCaller) async throws(EngineError) -> TagSet {
        let result = try await stored(try await store.apply(change, of: caller))
        return TagSet(tags: try result.get())
    }
}
