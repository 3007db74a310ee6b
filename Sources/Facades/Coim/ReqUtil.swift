import Foundation

/// The SDK's class in March 2014, and in the Swift SDK; it has all calls of ``coimSDK``.
///
/// The tables of progress that its Objective-C calls pass are not used: the delegate hears the progress.
#if canImport(ObjectiveC)
@objc(ReqUtil)
#endif
public final class ReqUtil: coimSDK {
    #if canImport(ObjectiveC)
    /// Does ``coimSDK/send(to:withParameter:delegate:)``.
    @objc(sendTo:withParameter:delegate:progressTable:) @discardableResult
    public static func send(
        to relativeURL: String,
        withParameter params: [AnyHashable: Any]?,
        delegate aDelegate: AnyObject?,
        progressTable dic: AnyObject?
    ) -> CoimConnection {
        send(to: relativeURL, withParameter: params, delegate: aDelegate)
    }

    /// Does ``coimSDK/login(to:withParameter:delegate:)``.
    @objc(loginTo:withParameter:delegate:progressTable:) @discardableResult
    public static func login(
        to relativeURL: String,
        withParameter params: [AnyHashable: Any]?,
        delegate aDelegate: AnyObject?,
        progressTable dic: AnyObject?
    ) -> CoimConnection {
        login(to: relativeURL, withParameter: params, delegate: aDelegate)
    }

    /// Does ``coimSDK/register(withParameter:delegate:)``.
    @objc(registerWithParameter:delegate:progressTable:) @discardableResult
    public static func register(
        withParameter params: [AnyHashable: Any]?,
        delegate aDelegate: AnyObject?,
        progressTable dic: AnyObject?
    ) -> CoimConnection {
        register(withParameter: params, delegate: aDelegate)
    }

    /// Does ``coimSDK/logout(from:delegate:)``.
    @objc(logoutFrom:delegate:progressTable:) @discardableResult
    public static func logout(
        from relativeURL: String,
        delegate aDelegate: AnyObject?,
        progressTable dic: AnyObject?
    ) -> CoimConnection {
        logout(from: relativeURL, delegate: aDelegate)
    }

    /// Does ``coimSDK/attachFiles(_:to:withParams:delegate:)``.
    @objc(attachFiles:To:withParams:delegate:progressTable:) @discardableResult
    public static func attachFiles(
        _ files: [Any]?,
        to relativeURL: String,
        withParams params: [AnyHashable: Any]?,
        delegate aDelegate: AnyObject?,
        progressTable dic: AnyObject?
    ) -> CoimConnection {
        attachFiles(files, to: relativeURL, withParams: params, delegate: aDelegate)
    }
    #endif
}
