import CarillonBytes
import NIOConcurrencyHelpers

extension SimulatorHandle {
    /// Issued device tokens by issue.
    ///
    /// - Parameters:
    ///   - position: The first position; 0 is the first token.
    ///   - limit: Maximum number of tokens.
    /// - Returns: The tokens in hexadecimal, and the position of the next page; nil for the last page.
    package func issuedTokens(from position: Int, limit: Int) -> (tokens: [String], next: Int?) {
        core.state.withLockedValue { state in
            let devices = state.gateway.devices
            var tokens: [String] = []
            var position = position
            while position < devices.count, tokens.count < limit {
                if devices.registration(of: position).isIssued {
                    tokens.append(Hexadecimal.encode(devices.token(of: position)))
                }
                position += 1
            }
            return (tokens, position < devices.count ? position : nil)
        }
    }
}
