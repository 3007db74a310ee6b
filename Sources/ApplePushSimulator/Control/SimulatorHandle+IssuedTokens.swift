import NIOConcurrencyHelpers

extension SimulatorHandle {
    /// Device tokens that the simulator issued, in the order of their issue.
    ///
    /// - Parameters:
    ///   - position: Where to begin; 0 is the first.
    ///   - limit: How many to tell at most.
    /// - Returns: The tokens in hexadecimal, and where to go on; nil when that was all.
    package func issuedTokens(from position: Int, limit: Int) -> (tokens: [String], next: Int?) {
        core.state.withLockedValue { state in
            let devices = state.gateway.devices
            var tokens: [String] = []
            var position = position
            while position < devices.count, tokens.count < limit {
                if devices.registration(of: position).isIssued {
                    tokens.append(hexadecimal(devices.token(of: position)))
                }
                position += 1
            }
            return (tokens, position < devices.count ? position : nil)
        }
    }
}
