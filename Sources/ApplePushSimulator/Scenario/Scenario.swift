/// A script for the simulator: an initial state, and steps.
///
/// The file format is JSON; `docs/apns-simulator.md` describes each field.
package struct Scenario: Sendable {
    package var name: String
    /// Makes issued device tokens and random choices repeatable; nil for random ones.
    package var seed: UInt64?
    /// The listeners that it changes or adds.
    package var listeners: [ListenerConfiguration] = []
    package var keys: [SigningKey] = []
    package var tokens: [TokenOrder] = []
    package var faults: [FaultOrder] = []
    package var steps: [ScenarioStep] = []

    /// Device tokens to issue.
    package struct TokenOrder: Hashable, Sendable {
        /// A given token; nil for ``count`` random ones.
        package var token: [UInt8]?
        package var count = 1
        package var topic: String?
        package var environment: PushEnvironment?
        package var isOffline = false
    }
}

/// One step of a scenario.
package struct ScenarioStep: Sendable {
    /// When a step runs.
    package enum Trigger: Hashable, Sendable {
        /// After so many requests since the scenario began.
        case requests(Int)
        /// After so much time since the scenario began.
        case time(Duration)
    }

    package var trigger: Trigger
    package var actions: [ScenarioAction]
}

/// An action of a step.
package enum ScenarioAction: Sendable {
    case removeFaults
    case addFault(FaultOrder)
    case addKey(SigningKey)
    case revokeKey(String)
    /// A share of the known device tokens becomes invalid, in percent.
    case endTokens(percent: Double, isExpiry: Bool)
    /// All device tokens become valid.
    case registerTokens
    case setRules(ValidationRules, listener: String)
    case setConnectionRules(ConnectionRules, listener: String)
    case perform(ConnectionAction, ConnectionChoice)
    case setAvailable(Bool)
    case advanceClock(Duration)
}
