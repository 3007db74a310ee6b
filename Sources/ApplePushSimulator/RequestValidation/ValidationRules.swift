/// How strictly requests are validated.
///
/// Where Apple's behaviour is not documented, the comment names the open point (U-…) and the default is the safe
/// choice.
package struct ValidationRules: Hashable, Sendable {
    /// The environment of the listener.
    package var environment: PushEnvironment = .production
    /// The served families; Apple serves each on a host of its own.
    package var families = Set<PathFamily>.everything
    /// Which device tokens are accepted.
    package var deviceTokens: DeviceTokenMode = .open
    /// Which provider tokens are accepted.
    package var providerTokens: ProviderTokenMode = .knownKeys
    /// Existing bundle identifiers; empty for all.
    ///
    /// A topic is a bundle identifier with one of Apple's suffixes or none.
    package var topics: Set<String> = []
    /// The order of the checks after authentication (U-2).
    ///
    /// A missing check is skipped.
    package var order = RequestCheck.allCases

    /// Whether a topic's suffix must fit the push type.
    package var matchesTopicToPushType = true
    /// The reason when it does not (U-3).
    package var mismatchedTopicReason = RejectionReason.badTopic
    /// The reason for a key of the other environment (U-4).
    package var otherEnvironmentReason = RejectionReason.badEnvironmentKeyInToken
    /// The reason for a payload that is not a JSON object; nil accepts it (U-6).
    package var malformedPayloadReason: RejectionReason?
    /// Whether refusals have `content-type: application/json` (U-7).
    package var namesContentType = false
    /// Whether generated ids are in lower case (U-8).
    package var generatesLowerCaseIDs = false
    /// Whether a background push with a priority other than 5 is refused (U-9).
    ///
    /// Apple calls it an error but documents no reason.
    package var requiresBackgroundPriority = false
    /// How far in the future a provider token may be issued, for clock skew (U-10).
    package var clockTolerance: Duration = .seconds(300)
    /// Maximum age of a provider token.
    package var providerTokenLifetime: Duration = .seconds(3600)
    /// How often the provider token may change within ``providerTokenChangeWindow`` (U-11).
    package var providerTokenChanges = 1
    package var providerTokenChangeWindow: Duration = .seconds(1200)
    /// By what changes of the provider token are counted (U-11).
    package var providerTokenChangeScope = ProviderTokenChangeScope.connection
    /// How many notifications a device token may get; nil for any number (U-12).
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

/// Which device tokens the simulator accepts.
package enum DeviceTokenMode: String, CaseIterable, Codable, Sendable {
    /// Any well-formed one.
    case open
    /// Those that the simulator issued.
    case strict
}

/// Which provider tokens the simulator accepts.
package enum ProviderTokenMode: String, CaseIterable, Codable, Sendable {
    /// Those signed by a known key.
    case knownKeys
    /// Any that is well formed and not too old: the signature is not verified. For clients whose key is a secret.
    case anyKey
}

/// By what changes of the provider token are counted.
package enum ProviderTokenChangeScope: String, CaseIterable, Codable, Sendable {
    /// By connection.
    case connection
    /// By address, over all connections and listeners.
    case source
}

/// How many notifications one device token may get in a period, which begins with the first.
package struct DeviceTokenRate: Hashable, Sendable {
    /// At least 1.
    package var count: Int
    package var span: Duration

    package init(count: Int, span: Duration) {
        self.count = count
        self.span = span
    }
}
