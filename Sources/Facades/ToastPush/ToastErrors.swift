import Carillon
import FacadeSupport
public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of TOAST Push's own errors.
public let ToastPushErrorDomain = "com.toast.push"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of errors on the way to the server.
public let ToastHttpErrorDomain = "com.toast.http"

/// What TOAST Push says went wrong.
public struct ToastPushError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
    /// The documented codes.
    public enum Code: Int, Sendable, CaseIterable {
        /// Nothing that has a code of its own.
        case unknown = 0
        /// `ToastPush.initialize` was not called, or could not be done.
        case notInitialized = 1
        /// The call needs a user id, and none is set.
        case userInvalid = 2
        /// The person does not allow notifications.
        case permissionDenied = 3
        /// The phone gave no token, or its storage cannot be used.
        case systemFailed = 4
        /// There is no token.
        case tokenInvalid = 5
        /// A registration is under way.
        case alreadyInProgress = 6
        /// A parameter that cannot be used.
        case parameterInvalid = 7
        /// Not supported.
        case notSupported = 8
        /// The server's answer says something that cannot be.
        case clientFailed = 9
    }

    /// Which error.
    public let code: Code
    /// What exactly, for a developer to read.
    public let errorDescription: String?

    init(_ code: Code, _ description: String) {
        self.code = code
        errorDescription = description
    }

    /// ``ToastPushErrorDomain``.
    public static var errorDomain: String { ToastPushErrorDomain }
    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// The description, for `NSError`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }
}

/// What went wrong on the way to the server.
public struct ToastHttpError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
    /// The documented codes.
    public enum Code: Int, Sendable, CaseIterable {
        /// There is no way to the server.
        case networkNotAvailable = 100
        /// The server did not do it.
        case requestFailed = 101
        /// There was no answer in time.
        case requestTimeout = 102
        /// The server could not take the parameters.
        case requestInvalid = 103
        /// The server's URL cannot be used.
        case urlInvalid = 104
        /// The server's answer cannot be read.
        case responseInvalid = 105
        /// The very same request is under way.
        case alreadyInprogress = 106
        /// The server's URL is not `https`.
        case requiresSecureConnection = 107
    }

    /// Which error.
    public let code: Code
    /// What exactly, for a developer to read.
    public let errorDescription: String?

    init(_ code: Code, _ description: String) {
        self.code = code
        errorDescription = description
    }

    /// ``ToastHttpErrorDomain``.
    public static var errorDomain: String { ToastHttpErrorDomain }
    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// The description, for `NSError`.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? ""] }
}
