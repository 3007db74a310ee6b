public import Foundation

// For developers and their logs, in English: what an app shows to people is its own text.

extension CarillonError: CustomStringConvertible {
    /// The code and the details.
    public var description: String { "\(code.rawValue): \(detail)" }
}

extension CarillonError: LocalizedError {
    /// The details, what to do among them.
    public var errorDescription: String? { detail }
}

extension CarillonError {
    /// What happened, and what to do, for a case without details of its own.
    static func meaning(of code: Code, _ cause: Cause?) -> String {
        switch code {
        case .notRegistered: "The app has not registered on this phone: call register(consent:) first."
        case .permissionDenied:
            "The person does not allow it: ask them to allow it in Settings, or set alwaysRegisters for notifications."
        case .unreachable: "The server could not be reached\(reason(cause)). What was saved is sent later."
        case .unavailable: "The server is overloaded or limits requests. What was saved is sent later."
        case .deadlineExceeded: "The call took longer than the configuration's deadline. What was saved is sent later."
        case .cancelled: "The calling task was cancelled. What was saved is sent later."
        case .userRequired: "The call is about a person: call setUser(_:proof:) first."
        case .noLocation: "The phone does not know where it is: try again later."
        case .noDeviceToken:
            "The system gave no device token: check the capability Push Notifications and the network; the next call of register tries again."
        default: "The call failed."
        }
    }

    private static func reason(_ cause: Cause?) -> String {
        switch cause {
        case .noNetwork?: ": there is no network"
        case .timedOut?: ": it did not answer in time"
        case .badAnswer?: ": something else answered, such as a captive portal"
        case .insecure?: ": the system demands an encrypted connection, and the server's URL has none"
        default: ""
        }
    }
}
