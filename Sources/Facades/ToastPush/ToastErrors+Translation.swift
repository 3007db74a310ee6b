#if canImport(UIKit)
import Carillon
import FacadeSupport

/// Translates errors to the vendor's codes.
enum ToastErrors {
    /// - Parameters:
    ///   - error: The error of the SDK or the facade.
    ///   - mishap: The recorded failure of the request.
    /// - Returns: An error of one of the vendor's two domains.
    static func translate(_ error: any Error, _ mishap: RecordedFailure?) -> any Error {
        switch error {
        case is ToastPushError, is ToastHttpError: error
        case let missing as MissingServer: ToastHttpError(.urlInvalid, missing.description)
        case let error as CarillonError: translate(error, mishap)
        default: ToastPushError(.unknown, "\(error)")
        }
    }

    private static func translate(_ error: CarillonError, _ mishap: RecordedFailure?) -> any Error {
        let detail = error.detail
        switch error.code {
        case .invalidConfiguration: return configuration(detail)
        case .storage, .noDeviceToken: return ToastPushError(.systemFailed, detail)
        case .notRegistered: return ToastPushError.nothingRegistered
        case .permissionDenied: return ToastPushError(.permissionDenied, "The person does not allow notifications.")
        case .refused: return refusal(error, detail)
        case .unavailable: return ToastHttpError(.requestFailed, "The server cannot do it now.")
        case .deadlineExceeded: return ToastHttpError(.requestTimeout, "It took longer than the deadline.")
        case .unreachable: return unreached(error.cause, mishap)
        case .invalidArgument: return ToastPushError(.parameterInvalid, detail)
        case .userRequired: return ToastPushError(.userInvalid, "Set a user id first.")
        default: return ToastPushError(.unknown, detail)
        }
    }

    private static func configuration(_ detail: String) -> any Error {
        if detail.hasPrefix("appKey") { return ToastPushError(.parameterInvalid, detail) }
        return ToastHttpError(detail.contains("must be https;") ? .requiresSecureConnection : .urlInvalid, detail)
    }

    private static func refusal(_ error: CarillonError, _ detail: String) -> any Error {
        switch (error.problem?.code, error.problem?.status) {
        case ("user-required", _): ToastPushError(.userInvalid, detail)
        case (_, 400), (_, 422): ToastHttpError(.requestInvalid, detail)
        default: ToastHttpError(.requestFailed, detail)
        }
    }

    private static func unreached(_ cause: CarillonError.Cause?, _ mishap: RecordedFailure?) -> any Error {
        switch (cause, mishap) {
        case (_, .badURL): ToastHttpError(.urlInvalid, "The server's URL is invalid.")
        case (_, .repeated): ToastHttpError(.alreadyInprogress, "The same request is in flight.")
        case (_, .status(let status)): ToastHttpError(.requestFailed, "The server answered \(status).")
        case (.badAnswer, .json): ToastPushError(.clientFailed, "The server's response does not fit this request.")
        case (.badAnswer, _): ToastHttpError(.responseInvalid, "The server's answer cannot be read.")
        case (.timedOut, _): ToastHttpError(.requestTimeout, "The server did not answer in time.")
        case (.insecure, _): ToastHttpError(.requiresSecureConnection, "The system wants a secure connection.")
        default: ToastHttpError(.networkNotAvailable, "The server is unreachable.")
        }
    }
}

extension ToastPushError {
    package static let nothingRegistered = ToastPushError(.tokenInvalid, "Nothing is registered.")
}
#endif
