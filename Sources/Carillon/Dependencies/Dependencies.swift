/// What a client gets from outside; tests and simulated phones pass their own.
package struct Dependencies: Sendable {
    package static let appProcess = "app"
    package static let extensionProcess = "extension"

    package var transport: (any Transport)?
    package var secrets: (any SecretStore)?
    package var facts: (@Sendable () -> DeviceFacts)?
    package var time: any TimeSource = SystemTime()
    package var random: any RandomSource = SystemRandom()
    /// The process of the app that this is.
    package var process = Self.appProcess

    package init(transport: (any Transport)? = nil, secrets: (any SecretStore)? = nil) {
        self.transport = transport
        self.secrets = secrets
    }
}
