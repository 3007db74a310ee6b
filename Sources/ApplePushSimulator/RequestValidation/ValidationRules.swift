/// What may be set about how strictly requests are judged.
///
/// Where Apple's behaviour is not settled, the comment names the point (U-…) and the default is the safe choice.
package struct ValidationRules: Hashable, Sendable {
    /// Which of Apple's two environments the listener plays.
    package var environment: PushEnvironment = .production
    /// What is served; Apple serves each family on a host of its own.
    package var families = Set<PathFamily>.everything
    /// Which device tokens are taken.
    package var deviceTokens: DeviceTokenMode = .open
    /// Which provider tokens are taken.
    package var providerTokens: ProviderTokenMode = .knownKeys
    /// Bundle identifiers that exist; empty: all.
    ///
    /// A topic is a bundle identifier with one of Apple's suffixes or none.
    package var topics: Set<String> = []
    /// The order of the checks after authentication (U-2).
    ///
    /// A check that is left out is not made.
    package var order = RequestCheck.allCases

    /// Whether a topic's suffix must be the push type's.
    package var matchesTopicToPushType = true
    /// What is answered when it is not (U-3).
    package var mismatchedTopicReason = RejectionReason.badTopic
    /// What is answered to a key of the other environment (U-4).
    package var otherEnvironmentReason = RejectionReason.badEnvironmentKeyInToken
    /// What is answered to a payload that is no JSON object; nil: it is accepted (U-6).
    package var malformedPayloadReason: RejectionReason?
    /// Whether refusals have `content-type: application/json` (U-7).
    package var namesContentType = false
    /// Whether generated ids are in lower case (U-8).
    package var generatesLowerCaseIDs = false
    /// Whether a background push with a priority other than 5 is refused (U-9).
    ///
    /// Apple calls it an error but names no reason.
    package var requiresBackgroundPriority = false
    /// How far in the future a provider token may be issued, for clocks that differ (U-10).
    package var clockTolerance: Duration = .seconds(300)
    /// How old a provider token may be.
    package var providerTokenLifetime: Duration = .seconds(3600)
    /// How often the provider token may change within ``providerTokenChangeWindow`` (U-11).
    package var providerTokenChanges = 1
    package var providerTokenChangeWindow: Duration = .seconds(1200)
    /// Over what changes of the provider token are counted (U-11).
    package var providerTokenChangeScope = ProviderTokenChangeScope.connection
    /// How many notifications a device token may get; nil: any number (U-12).
    package var deviceTokenRate: DeviceTokenRate?

    package init() {}
}

/// One of the checks after authentication and path.
package enum RequestCheck: String, CaseIterable, Codable, Sendable {
    case duplicates
    case id
    case expiration
    case priority
    case collapseID = "collapse-id"
    case pushType = "push-type"
    case topic
    case deviceToken = "device-token"
    case payload
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

/// Over what changes of the provider token are counted.
package enum ProviderTokenChangeScope: String, CaseIterable, Codable, Sendable {
    /// Each connection for itself: a new one is clean.
    case connection
    /// All connections from one address together, on all listeners.
    case source
}

/// How many notifications one device token may get in a span, which begins with the first.
package struct DeviceTokenRate: Hashable, Sendable {
    /// At least 1.
    package var count: Int
    package var span: Duration

    package init(count: Int, span: Duration) {
        self.count = count
        self.span = span
    }
}
