#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What APNs answered to one request.
public enum Answer: Hashable, Sendable {
    /// APNs accepted the notification. It may still not reach the device.
    ///
    /// `uniqueID` is the sandbox's `apns-unique-id`, by which Apple's console finds the push; production sends none.
    case accepted(uniqueID: String?)
    /// APNs refused the notification.
    case rejected(Rejection)
}

/// A refusal by APNs.
public struct Rejection: Hashable, Sendable {
    /// The reason.
    public let reason: RejectionReason
    /// The HTTP status, 100 through 999.
    public let status: Int
    /// With status 410: since when, by Apple's clock, the device token is known to be invalid.
    public let tokenInvalidSince: Date?

    /// Makes a rejection.
    ///
    /// - Parameters:
    ///   - reason: The reason.
    ///   - status: The HTTP status.
    ///   - tokenInvalidSince: Since when the device token is invalid, if the answer has it.
    public init(_ reason: RejectionReason, status: Int, tokenInvalidSince: Date? = nil) {
        self.reason = reason
        self.status = status
        self.tokenInvalidSince = tokenInvalidSince
    }

    /// Whether a token must be dropped because of this rejection.
    ///
    /// Apple: drop the token only if it was registered before the timestamp of the 410; a later registration wins.
    ///
    /// - Parameter registration: When the token was last registered; `nil`, as after an import: the token is dropped.
    /// - Returns: `false` for every rejection for another reason than an invalid token.
    public func removes(registeredAt registration: Date?) -> Bool {
        guard case .invalidToken(let since) = meaning else { return false }
        guard let registration, let since else { return true }
        return registration < since
    }
}
