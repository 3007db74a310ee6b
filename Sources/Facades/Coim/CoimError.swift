import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The errors that COIMOTION's SDK makes itself, with its domain and its codes.
enum CoimError {
    static let domain = "com.coimotion.csdk"

    /// The codes of the Objective-C SDK; the Swift SDK of 2014 had -101 for all of them.
    enum Code: Int {
        case notInitialized = -100
        case lackOfAppInfo = -99
        case wrongParameters = -98
        case noFile = -97
        case sizeOver = -96
    }

    static func make(_ code: Code, _ message: String) -> NSError { error(code.rawValue, message) }

    static var notInitialized: NSError { make(.notInitialized, "ReqUtil is not initialized") }

    static var lackOfAppInfo: NSError {
        make(.lackOfAppInfo, "Please set coim_app_code and/or coim_app_key to [project-name]-Info.plist")
    }

    static func wrongParameters(_ detail: String) -> NSError {
        make(.wrongParameters, "Wrong Parameters: " + detail)
    }

    /// The server's status was not 200.
    static func status(_ status: Int) -> NSError {
        error(status, HTTPURLResponse.localizedString(forStatusCode: status))
    }

    /// The answer is no JSON object: what the vendor's parser said.
    static var notJSON: NSError {
        NSError(
            domain: NSCocoaErrorDomain,
            code: CocoaError.Code.propertyListReadCorrupt.rawValue,
            userInfo: [NSLocalizedDescriptionKey: "The server's answer is no JSON object."]
        )
    }

    /// There was no answer.
    ///
    /// The transport cancels an exchange at its time limit.
    static func transport(_ error: any Error) -> NSError {
        let error = error as NSError
        guard error.domain == NSURLErrorDomain, error.code == NSURLErrorCancelled else { return error }
        let text = "The request timed out."
        return NSError(domain: NSURLErrorDomain, code: NSURLErrorTimedOut, userInfo: [NSLocalizedDescriptionKey: text])
    }

    private static func error(_ code: Int, _ message: String) -> NSError {
        NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: message])
    }
}
