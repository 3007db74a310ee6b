/// A plan for the simulator: what it begins with, and what happens then.
///
/// A file says it in JSON; `docs/apns-simulator.md` describes each field.
package struct Scenario: Sendable {
    package var name: String
    /// Makes issued device tokens and random choices the same in every run; nil: they differ.
    package var seed: UInt64?
    /// The listeners that it names, with what it says of them over what was set.
    package var listeners: [ListenerConfiguration] = []
    package var keys: [SigningKey] = []
    package var tokens: [TokenOrder] = []
    package var faults: [FaultOrder] = []
    package var steps: [ScenarioStep] = []

    /// Device tokens to be issued.
    package struct TokenOrder: Hashable, Sendable {
        /// One that is given; nil: random ones, as many as ``count``.
        package var token: [UInt8]?
        package var count = 1
        package var topic: String?
        package var environment: PushEnvironment?
        package var isOffline = false
    }
}

/// One step of a scenario.
package struct ScenarioStep: Sendable {
    /// What a step waits for.
    package enum Trigger: Hashable, Sendable {
        /// As many requests were judged since the scenario began.
        case requests(Int)
        /// As much time has passed since then.
        case time(Duration)
    }

    package var trigger: Trigger
    package var actions: [ScenarioAction]
}

/// Something that a step does.
package enum ScenarioAction: Sendable {
    case removeFaults
    case addFault(FaultOrder)
    case addKey(SigningKey)
    case revokeKey(String)
    /// A share of the known device tokens ends, in percent.
    case endTokens(percent: Double, isExpiry: Bool)
    /// All device tokens are good again.
    case registerTokens
    case setRules(ValidationRules, listener: String)
    case setConnectionRules(ConnectionRules, listener: String)
    case perform(ConnectionAction, ConnectionChoice)
    case setAvailable(Bool)
    case advanceClock(Duration)
}
