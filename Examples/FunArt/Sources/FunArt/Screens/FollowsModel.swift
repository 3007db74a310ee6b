/// What the person follows.
public struct FollowsState: Hashable, Sendable {
    /// The kinds, in the order of the buttons.
    public var kinds: Set<EventKind> = []
    /// The places.
    public var places: [Position] = []
    /// Whether the server is asked.
    public var isLoading = false
    /// Why it cannot be shown or changed.
    public var failure: Failure?
}

/// Follows kinds of events, and stops following kinds and places.
@MainActor
public final class FollowsModel: Screen<FollowsState> {
    init(_ services: Services, onSignedOut: @escaping @MainActor () -> Void) {
        super.init(FollowsState(), services, onSignedOut: onSignedOut)
    }

    /// Asks the server.
    public func load() async {
        (state.isLoading, state.failure) = (true, nil)
        let result = await attempt { () async throws(Failure) in try await services.follows.list() }
        state.isLoading = false
        switch result {
        case .success(let follows): show(follows)
        case .failure(let failure): state.failure = failure
        }
    }

    /// Follows, or stops it.
    ///
    /// - Parameters:
    ///   - follow: What.
    ///   - isOn: Whether the person wants to hear of it.
    public func set(_ follow: Follow, isOn: Bool) async {
        let result = await attempt { () async throws(Failure) -> Void in
            if isOn {
                try await services.follows.add(follow)
            } else {
                try await services.follows.remove(follow)
            }
        }
        switch result {
        case .success: await load()
        case .failure(let failure): state.failure = failure
        }
    }

    private func show(_ follows: [Follow]) {
        var new = state
        (new.kinds, new.places) = ([], [])
        for follow in follows {
            switch follow {
            case .kind(let kind): new.kinds.insert(kind)
            case .place(let position): new.places.append(position)
            }
        }
        state = new
    }
}
