import NIOConcurrencyHelpers

extension SimulatorHandle {
    /// All broadcast channels.
    package func channels() -> [ChannelReport] {
        core.state.withLockedValue { $0.gateway.channels.reports }
    }

    /// Creates a channel, as the Push Notifications Console does.
    ///
    /// - Returns: The channel's id, base64.
    /// - Throws: ``Failure/full`` when the app has 10,000, or ``Failure/unknownChannel`` when its capability is
    ///   disabled.
    package func createChannel(
        of bundleID: String,
        in environment: PushEnvironment,
        storage: ChannelStorage
    ) throws(Failure) -> String {
        let owner = Channels.Owner(bundleID: bundleID, environment: environment)
        let result = core.state.withLockedValue { state in
            Result { () throws(Rejection) in
                try state.gateway.channels.create(for: owner, storage: storage, using: &state.gateway.random)
            }
        }
        switch result {
        case .success(let id): return id
        case .failure(let rejection):
            throw rejection.reason == .cannotCreateChannelConfig ? .full : .unknownChannel
        }
    }

    /// Subscribes phones to a channel, as when a Live Activity begins on them.
    ///
    /// They get broadcasts through their feeds.
    /// - Throws: ``Failure/unknownChannel``, ``Failure/malformedToken(_:)``, or ``Failure/unknownToken(_:)`` in strict
    ///   mode.
    package func subscribe(
        _ tokens: [String],
        to channel: String,
        of bundleID: String,
        in environment: PushEnvironment
    ) throws(Failure) {
        try change(tokens, channel, bundleID, environment) { $0.subscribe($1, to: $2) }
    }

    /// Ends subscriptions, as when a Live Activity ends.
    ///
    /// - Throws: As ``subscribe(_:to:of:in:)``.
    package func unsubscribe(
        _ tokens: [String],
        from channel: String,
        of bundleID: String,
        in environment: PushEnvironment
    ) throws(Failure) {
        try change(tokens, channel, bundleID, environment) { $0.unsubscribe($1, from: $2) }
    }

    /// Enables or disables an app's broadcast capability.
    ///
    /// It is enabled at first. Disabling deletes the app's channels, in both environments.
    package func setBroadcasting(_ isEnabled: Bool, for bundleID: String) {
        core.state.withLockedValue { $0.gateway.channels.setEnabled(isEnabled, for: bundleID) }
    }

    // MARK: - Private

    private func change(
        _ tokens: [String],
        _ channel: String,
        _ bundleID: String,
        _ environment: PushEnvironment,
        by body: (inout Channels, [DeviceTable.Index], Channels.Name) -> Bool
    ) throws(Failure) {
        let bytes = try Self.decode(tokens)
        let owner = Channels.Owner(bundleID: bundleID, environment: environment)
        let name = Channels.Name(owner: owner, id: channel)
        let failure = core.state.withLockedValue { state -> Failure? in
            var found: [DeviceTable.Index] = []
            for (position, token) in bytes.enumerated() {
                guard let device = state.gateway.device(token) else { return .unknownToken(position) }
                found.append(device)
            }
            return body(&state.gateway.channels, found, name) ? nil : .unknownChannel
        }
        if let failure { throw failure }
    }
}
