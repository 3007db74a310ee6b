#if canImport(UIKit)
import Carillon
import FacadeSupport
public import Foundation

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of TOAST Push's own errors.
public let ToastPushErrorDomain = "com.toast.push"
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of errors of requests to the server.
public let ToastHttpErrorDomain = "com.toast.http"

/// An error of TOAST Push.
public struct ToastPushError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
    /// The documented codes.
    public enum Code: Int, Sendable, CaseIterable {
        /// An error without a code of its own.
        case unknown = 0
        /// `ToastPush.initialize` was not called, or failed.
        case notInitialized = 1
        /// The call needs a user id, and none is set.
        case userInvalid = 2
        /// The person does not allow notifications.
        case permissionDenied = 3
        /// The phone issued no token, or its storage cannot be used.
        case systemFailed = 4
        /// There is no token.
        case tokenInvalid = 5
        /// A registration is in progress.
        case alreadyInProgress = 6
        /// An invalid parameter.
        case parameterInvalid = 7
        /// Not supported.
        case notSupported = 8
        /// The server's response has an unexpected content.
        case clientFailed = 9
    }

    /// The code of the error.
    public let code: Code
    /// A description for developers.
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

/// An error of a request to the server.
public struct ToastHttpError: Error, CustomNSError, LocalizedError, Hashable, Sendable {
    /// The documented codes.
    public enum Code: Int, Sendable, CaseIterable {
        /// There is no network connection.
        case networkNotAvailable = 100
        /// The server refused the request.
        case requestFailed = 101
        /// The request timed out.
        case requestTimeout = 102
        /// The server refused the parameters.
        case requestInvalid = 103
        /// The server's URL is invalid.
        case urlInvalid = 104
        /// The server's response cannot be read.
        case responseInvalid = 105
        /// The same request is in flight.
        case alreadyInprogress = 106
        /// The server's URL is not `https`.
        case requiresSecureConnection = 107
    }

    /// The code of the error.
    public let code: Code
    /// A description for developers.
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
#endif
