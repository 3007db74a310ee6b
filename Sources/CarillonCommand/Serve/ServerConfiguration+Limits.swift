import CarillonServer
import NIOCore

extension ServerConfiguration {
    /// Reads the limits.
    ///
    /// - Parameter settings: The settings.
    /// - Throws: ``ServerSettings/Failure`` naming the setting.
    mutating func readLimits(_ settings: ServerSettings) throws {
        if let count = try settings.integer(.connectionsPerAddress, 0...1_000_000) {
            server.connections.perAddress = count > 0 ? count : nil
        }
        if let seconds = try settings.number(.requestSeconds, 1...3_600) {
            server.connections.requestTime = .milliseconds(Int64(seconds * 1_000))
        }
        if let seconds = try settings.number(.answerSeconds, 1...3_600) {
            server.connections.answerTime = .milliseconds(Int64(seconds * 1_000))
        }
        if let rate = try settings.integer(.leastRate, 1...1_000_000_000) { server.connections.leastRate = rate }
        var limits = RequestLimits()
        func read(_ setting: ServerSetting, _ rate: inout Double?) throws {
            if let number = try settings.number(setting, 0...1_000_000) { rate = number > 0 ? number : nil }
        }
        try read(.apiKeyRate, &limits.apiKey)
        try read(.appKeyRate, &limits.appKey)
        try read(.deviceRate, &limits.device)
        try read(.wrongKeyRate, &limits.unknownKey)
        if let count = try settings.integer(.costlyRequests, 0...1_000) { limits.costly = count > 0 ? count : nil }
        server.requestLimits = limits
    }
}
