package import CarillonModel
package import CarillonOperatorModel

/// The tags that operators make for an App, and that Devices put on their Users.
package struct Tags: Sendable {
    /// The most tags of one App.
    package static let maximumCount = 2_048
    /// The most Devices of a User whose tags can be changed: an id that more of them share names no person.
    package static let maximumDevices = 256
    /// How often a new id is tried: ids are random, of 62⁸.
    private static let attempts = 8

    let store: any TagStore
    let apps: Apps
    private let clock: any WallClock
    private let random: RandomBytes

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - store: Keeps tags.
    ///   - apps: Knows which Apps there are.
    ///   - clock: Tells when a tag is made.
    ///   - random: Makes ids.
    package init(store: any TagStore, apps: Apps, clock: any WallClock, random: RandomBytes = .system) {
        self.store = store
        self.apps = apps
        self.clock = clock
        self.random = random
    }

    // MARK: Operators

    /// Makes a tag with an id of its own.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/conflict(_:)`` when it has 2,048
    ///   tags.
    package func create(
        app: AppID,
        _ request: TagRequest,
        for repeatable: IdempotentRequest<Tag>? = nil
    ) async throws(EngineError) -> Tag {
        _ = try await apps.facts(app)
        for _ in 0..<Self.attempts {
            guard let id = TagID.random(random) else { continue }
            let tag = Tag(id: id, name: request.name, createdAt: clock.now())
            let insertion = try await stored(
                try await store.insert(tag, app: app, limit: Self.maximumCount, for: repeatable)
            )
            switch insertion {
            case .added: return tag
            case .taken: continue
            case .full: throw .conflict("The App has \(Self.maximumCount) tags, as many as there may be.")
            }
        }
        throw .store(.failed("No new tag id was found."))
    }

    /// Tags of an App in the order of their ids.
    ///
    /// - Parameters:
    ///   - app: Whose tags.
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

    /// Deletes a tag; no User has it any more, and all else of theirs stays.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such tag.
    package func delete(app: AppID, _ tag: TagID) async throws(EngineError) {
        // One that was cut off goes on with the next.
        try await stored(try await store.removeLeftovers(app: app))
        guard try await stored(try await store.delete(tag, app: app)) else { throw .notFound(.tag) }
    }

    /// A tag.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such tag.
    package func tag(app: AppID, _ tag: TagID) async throws(EngineError) -> Tag {
        let found = try await stored(try await store.tag(tag, app: app))
        guard let found else { throw .notFound(.tag) }
        return found
    }

    /// Gives a tag another name; Devices and audiences know it by its id and notice nothing.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such tag.
    package func rename(app: AppID, _ tag: TagID, _ request: TagRequest) async throws(EngineError) -> Tag {
        let now = clock.now()
        let found = try await stored(try await store.rename(tag, to: request.name, app: app, at: now))
        guard let found else { throw .notFound(.tag) }
        return found
    }

    // MARK: Devices

    /// The tags of a Device's User.
    ///
    /// - Throws: ``EngineError/notFound(_:)``, ``EngineError/refused(_:)`` for another secret than the Device's or when
    ///   it has no User.
    package func tags(of caller: DeviceCaller) async throws(EngineError) -> TagSet {
        TagSet(tags: try await stored(try await store.tags(of: caller)).get())
    }

    /// Changes the tags of a Device's User, on all of the User's Devices.
    ///
    /// - Throws: As ``tags(of:)``, and what ``TagChange/plan(for:isKnown:)`` says against it.
    package func apply(_ change: TagChange, of caller: DeviceCaller) async throws(EngineError) -> TagSet {
        let result = try await stored(try await store.apply(change, of: caller))
        return TagSet(tags: try result.get())
    }
}
