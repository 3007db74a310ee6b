#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What APNs answered to one request.
public enum Answer: Hashable, Sendable {
    /// APNs took the notification. It may still not reach the device.
    ///
    /// `uniqueID` is the sandbox's `apns-unique-id`, by which Apple's console finds the push; production sends none.
    case accepted(uniqueID: String?)
    /// APNs refused the notification.
    case rejected(Rejection)
}

/// A refusal by APNs.
public struct Rejection: Hashable, Sendable {
    /// Apple's word for it.
    public let reason: RejectionReason
    /// The HTTP status, 100 through 999.
    public let status: Int
    /// With status 410: since when, by Apple's clock, the device token is known to be invalid.
    public let tokenInvalidSince: Date?

    /// Gathers what a refusal said.
    ///
    /// - Parameters:
    ///   - reason: Apple's word for it.
    ///   - status: The HTTP status.
    ///   - tokenInvalidSince: Since when the device token is invalid, if the answer said so.
    public init(_ reason: RejectionReason, status: Int, tokenInvalidSince: Date? = nil) {
        self.reason = reason
        self.status = status
        self.tokenInvalidSince = tokenInvalidSince
    }

    /// Whether a registration must go because of this refusal.
    ///
    /// Apple: drop the token only if it was registered before the timestamp of the 410; a later registration wins.
    ///
    /// - Parameter registration: When the token was last registered; `nil`, as after an import, always goes.
    /// - Returns: `false` for every refusal that does not say the token is dead.
    public func removes(registeredAt registration: Date?) -> Bool {
        guard status == 410 || reason == .unregistered || reason == .expiredToken else { return false }
        guard let registration, let tokenInvalidSince else { return true }
        return registration < tokenInvalidSince
    }
}
