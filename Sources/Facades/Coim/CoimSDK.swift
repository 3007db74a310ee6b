public import Foundation

// swift-format-ignore: TypeNamesShouldBeCapitalized
/// COIMOTION's SDK on Carillon: the vendor's calls, to a Carillon server.
///
/// In Objective-C classes, selectors and callbacks are those of the vendor's `coimSDK.h`. In Swift each method has the name
/// that the importer makes of its selector, and that of the vendor's Swift SDK of 2014.
///
/// Every method may be called on any thread; delegates are notified on the main thread, and kept until their call is over. A call
/// that is invalid is not sent, and fails as one that is sent does.
#if canImport(ObjectiveC)
@objc(coimSDK)
#endif
public class coimSDK: NSObject {
    /// The URL of Carillon's server; `CarillonServerURL` of the Info.plist when missing.
    ///
    /// Set it before ``initSDK(_:)``.
    #if canImport(ObjectiveC)
    @objc(serverURL)
    #endif
    public static var serverURL: URL? {
        get { CoimAdapter.current.serverURL }
        set { CoimAdapter.current.serverURL = newValue }
    }

    /// Reads `coim_app_code`, `coim_app_key`, `CarillonServerURL`, `coim_timeout` and `coim_debug` of the Info.plist.
    ///
    /// Call it before all others; again it does nothing.
    ///
    /// - Parameter errBlock: Called before the method returns, with `nil` when the SDK is ready.
    #if canImport(ObjectiveC)
    @objc(initSDK:)
    #endif
    public static func initSDK(_ errBlock: (((any Error)?) -> Void)?) {
        do {
            try CoimAdapter.current.start()
            errBlock?(nil)
        } catch {
            errBlock?(error)
        }
    }

    /// Calls an operation of a module or of a content set.
    ///
    /// - Parameters:
    ///   - relativeURL: The operation, as `twShow/show/byCity/15`.
    ///   - params: Texts, numbers, flags and arrays; `nil` for none. An array travels as the text of its JSON.
    ///   - aDelegate: Notified of the answer.
    /// - Returns: The call, to be cancelled.
    #if canImport(ObjectiveC)
    @objc(sendTo:withParameter:delegate:)
    #endif
    @discardableResult
    public static func send(
        to relativeURL: String,
        withParameter params: [AnyHashable: Any]?,
        delegate aDelegate: AnyObject?
    ) -> CoimConnection {
        CoimAdapter.current.begin(aDelegate) { try $0.operation(relativeURL, params) }
    }

    /// Logs a person in; the token is kept, and sent with the calls that follow.
    ///
    /// - Parameters:
    ///   - relativeURL: The operation, as `core/user/login`, or an app's own that inherits from it.
    ///   - params: `accName` and `passwd`, which is salted before it is sent.
    ///   - aDelegate: Notified of the answer.
    /// - Returns: The call, to be cancelled.
    #if canImport(ObjectiveC)
    @objc(loginTo:withParameter:delegate:)
    #endif
    @discardableResult
    public static func login(
        to relativeURL: String,
        withParameter params: [AnyHashable: Any]?,
        delegate aDelegate: AnyObject?
    ) -> CoimConnection {
        CoimAdapter.current.begin(aDelegate) { try $0.login(relativeURL, params) }
    }

    /// Makes an account, activates it and logs it in.
    ///
    /// The delegate hears one answer: that of the activation, or that of the registration when it has no `actID`.
    ///
    /// - Parameters:
    ///   - params: `accName`, `passwd` and `passwd2`, and what else the server takes. `_loc` is the phone's language when
    ///     missing: 2 for Chinese, else 1.
    ///   - aDelegate: Notified of the answer.
    /// - Returns: The call, to be cancelled.
    #if canImport(ObjectiveC)
    @objc(registerWithParameter:delegate:)
    #endif
    @discardableResult
    public static func register(
        withParameter params: [AnyHashable: Any]?,
        delegate aDelegate: AnyObject?
    ) -> CoimConnection {
        CoimAdapter.current.begin(aDelegate) { try $0.registration(params) }
    }

    /// Changes the password of the account that is logged in.
    ///
    /// - Parameters:
    ///   - params: `oldPasswd`, `passwd` and `passwd2`.
    ///   - aDelegate: Notified of the answer.
    /// - Returns: The call, to be cancelled.
    #if canImport(ObjectiveC)
    @objc(updatePasswd:delegate:)
    #endif
    @discardableResult
    public static func updatePasswd(
        _ params: [AnyHashable: Any]?,
        delegate aDelegate: AnyObject?
    ) -> CoimConnection {
        CoimAdapter.current.begin(aDelegate) { try $0.passwordChange(params) }
    }

    /// Logs out: the token is deleted at once, and revoked at the server.
    ///
    /// - Parameter aDelegate: Notified of the answer; whatever it is, nobody is logged in.
    /// - Returns: The call, to be cancelled.
    #if canImport(ObjectiveC)
    @objc(logout:)
    #endif
    @discardableResult
    public static func logout(_ aDelegate: AnyObject?) -> CoimConnection {
        logout(from: logoutURL, delegate: aDelegate)
    }

    /// Logs out by an app's own operation that inherits from `core/user/logout`.
    ///
    /// - Parameters:
    ///   - relativeURL: The operation.
    ///   - aDelegate: Notified of the answer; whatever it is, nobody is logged in.
    /// - Returns: The call, to be cancelled.
    #if canImport(ObjectiveC)
    @objc(logoutFrom:delegate:)
    #endif
    @discardableResult
    public static func logout(from relativeURL: String, delegate aDelegate: AnyObject?) -> CoimConnection {
        CoimAdapter.current.begin(aDelegate) { try $0.logout(relativeURL) }
    }

    /// Uploads files.
    ///
    /// - Parameters:
    ///   - files: Paths, or URLs of files: at most 3, and ``maxFileSize`` bytes together. With none, `params` has a `dataURI`.
    ///   - relativeURL: An operation that inherits from `cms/page/attach` or `cms/geoLoc/attach`, with its id.
    ///   - params: `nType`, one of the constants of ``nType``, and optionally `title`.
    ///   - aDelegate: Notified of the progress, 0 through 100, and of the answer.
    /// - Returns: The call, to be cancelled.
    #if canImport(ObjectiveC)
    @objc(attachFiles:To:withParams:delegate:)
    #endif
    @discardableResult
    public static func attachFiles(
        _ files: [Any]?,
        to relativeURL: String,
        withParams params: [AnyHashable: Any]?,
        delegate aDelegate: AnyObject?
    ) -> CoimConnection {
        CoimAdapter.current.begin(aDelegate) { try $0.upload(files ?? [], relativeURL, params) }
    }
}
