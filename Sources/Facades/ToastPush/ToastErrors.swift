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

// The members that Swift gives an error of the vendor's: `error.code == .permissionDenied`, and
// `catch ToastPushError.permissionDenied`.

extension ToastPushError {
    /// The code ``Code/unknown``.
    public static var unknown: Code { .unknown }
    /// The code ``Code/notInitialized``.
    public static var notInitialized: Code { .notInitialized }
    /// The code ``Code/userInvalid``.
    public static var userInvalid: Code { .userInvalid }
    /// The code ``Code/permissionDenied``.
    public static var permissionDenied: Code { .permissionDenied }
    /// The code ``Code/systemFailed``.
    public static var systemFailed: Code { .systemFailed }
    /// The code ``Code/tokenInvalid``.
    public static var tokenInvalid: Code { .tokenInvalid }
    /// The code ``Code/alreadyInProgress``.
    public static var alreadyInProgress: Code { .alreadyInProgress }
    /// The code ``Code/parameterInvalid``.
    public static var parameterInvalid: Code { .parameterInvalid }
    /// The code ``Code/notSupported``.
    public static var notSupported: Code { .notSupported }
    /// The code ``Code/clientFailed``.
    public static var clientFailed: Code { .clientFailed }
}

/// Matches an error in a `catch` or a `switch`.
public func ~= (code: ToastPushError.Code, error: any Error) -> Bool { (error as? ToastPushError)?.code == code }

extension ToastHttpError {
    /// The code ``Code/networkNotAvailable``.
    public static var networkNotAvailable: Code { .networkNotAvailable }
    /// The code ``Code/requestFailed``.
    public static var requestFailed: Code { .requestFailed }
    /// The code ``Code/requestTimeout``.
    public static var requestTimeout: Code { .requestTimeout }
    /// The code ``Code/requestInvalid``.
    public static var requestInvalid: Code { .requestInvalid }
    /// The code ``Code/urlInvalid``.
    public static var urlInvalid: Code { .urlInvalid }
    /// The code ``Code/responseInvalid``.
    public static var responseInvalid: Code { .responseInvalid }
    /// The code ``Code/alreadyInprogress``.
    public static var alreadyInprogress: Code { .alreadyInprogress }
    /// The code ``Code/requiresSecureConnection``.
    public static var requiresSecureConnection: Code { .requiresSecureConnection }
}

/// Matches an error in a `catch` or a `switch`.
public func ~= (code: ToastHttpError.Code, error: any Error) -> Bool { (error as? ToastHttpError)?.code == code }
#endif
