/// What may be set about how strictly requests are judged.
package struct JudgeRules: Hashable, Sendable {
    /// Which of Apple's two environments the simulator plays.
    package var environment: PushEnvironment = .production
    /// Which device tokens are taken.
    package var deviceTokens: DeviceTokenMode = .open
    /// Which provider tokens are taken.
    package var providerTokens: ProviderTokenMode = .knownKeys
    /// Bundle identifiers that exist; empty: all.
    ///
    /// A topic is a bundle identifier with one of Apple's suffixes or none.
    package var topics: Set<String> = []
    /// Whether a topic's suffix must be the push type's.
    package var matchesTopicToPushType = true
    /// Whether a background push with a priority other than 5 is refused.
    ///
    /// Apple calls it an error but names no reason.
    package var requiresBackgroundPriority = false
    /// How old a provider token may be.
    package var providerTokenLifetime: Duration = .seconds(3600)
    /// How far in the future a provider token may be issued, for clocks that differ.
    package var clockTolerance: Duration = .seconds(300)
    /// How often a connection may change its provider token within ``providerTokenChangeWindow``.
    package var providerTokenChanges = 1
    package var providerTokenChangeWindow: Duration = .seconds(1200)

    package init() {}
}

/// One of Apple's two push environments.
package enum PushEnvironment: String, CaseIterable, Codable, Sendable {
    case sandbox
    case production
}

/// Which device tokens the simulator takes.
package enum DeviceTokenMode: String, CaseIterable, Codable, Sendable {
    /// Any that is well formed.
    case open
    /// Those that the simulator issued.
    case strict
}

/// Which provider tokens the simulator takes.
package enum ProviderTokenMode: String, CaseIterable, Codable, Sendable {
    /// Those signed by a key it was told of.
    case knownKeys
    /// Any that is well formed and not too old: the signature is not looked at. For clients whose key is a secret.
    case anyKey
}
