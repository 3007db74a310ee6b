import NIOConcurrencyHelpers

extension SimulatorHandle {
    /// Opens a delivery feed: its phones are online from now on.
    ///
    /// The feed stays open until ``close(_:)``. It begins with the stored notifications of the phones.
    func openFeed(_ tokens: [String]) throws(Failure) -> DeliveryFeed {
        let bytes = try Self.decode(tokens)
        let now = core.clock.now
        let result = core.state.withLockedValue { state -> Result<DeliveryFeed, Failure> in
            state.lastFeed += 1
            let feed = DeliveryFeed(id: FeedID(rawValue: state.lastFeed))
            return state.gateway.follow(bytes, feed: feed.id, now: now).map { waiting in
                state.feeds[feed.id] = feed
                waiting.forEach { feed.append($0.line) }
                return feed
            }
        }
        return try result.get()
    }

    /// Adds phones to an open feed.
    ///
    /// A phone in another feed leaves that one.
    func follow(_ tokens: [String], in feed: FeedID) throws(Failure) {
        let bytes = try Self.decode(tokens)
        let now = core.clock.now
        let result = core.state.withLockedValue { state -> Result<Void, Failure> in
            guard let queue = state.feeds[feed] else { return .failure(.unknownFeed) }
            return state.gateway.follow(bytes, feed: feed, now: now).map { waiting in
                waiting.forEach { queue.append($0.line) }
            }
        }
        try result.get()
    }

    /// Ends a feed: its phones are offline from now on.
    func close(_ feed: FeedID) {
        core.state.withLockedValue { state in
            state.feeds.removeValue(forKey: feed)?.end()
            state.gateway.phones.endFeed(feed)
        }
    }

    /// Ends all feeds, so that nobody waits when the simulator stops.
    func closeFeeds() {
        for feed in core.state.withLockedValue({ Array($0.feeds.keys) }) {
            close(feed)
        }
    }

    static func decode(_ tokens: [String]) throws(Failure) -> [[UInt8]] {
        var bytes: [[UInt8]] = []
        for (position, token) in tokens.enumerated() {
            bytes.append(try decode(token, at: position))
        }
        return bytes
    }
}
