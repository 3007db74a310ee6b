import Foundation

// The names of the vendor's Swift SDK of 2014 (0.9.6.2).

extension coimSDK {
    /// Does ``initSDK(_:)``.
    ///
    /// - Parameter callback: Called before the method returns: with `SDK initialized`, or with what is missing.
    @nonobjc @_disfavoredOverload  // A closure whose argument has no type is the other form's.
    public static func initSDK(callback: (String) -> Void) {
        var failure: (any Error)?
        initSDK { (error: (any Error)?) in failure = error }
        guard let failure = failure as NSError? else { return callback("SDK initialized") }
        let isOfKeys = failure.localizedDescription == CoimError.lackOfAppInfo.localizedDescription
        callback(isOfKeys ? "Please set coim_app_key and coim_app_code" : failure.localizedDescription)
    }

    /// Does ``send(to:withParameter:delegate:)``.
    @nonobjc @discardableResult
    public static func sendTo(
        _ relativeURL: String,
        params: [AnyHashable: Any]?,
        aDelegate: AnyObject?
    ) -> CoimConnection {
        send(to: relativeURL, withParameter: params, delegate: aDelegate)
    }

    /// Does ``login(to:withParameter:delegate:)``.
    @nonobjc @discardableResult
    public static func loginTo(
        _ relativeURL: String,
        params: [AnyHashable: Any]?,
        aDelegate: AnyObject?
    ) -> CoimConnection {
        login(to: relativeURL, withParameter: params, delegate: aDelegate)
    }

    /// Does ``register(withParameter:delegate:)``.
    @nonobjc @discardableResult
    public static func register(_ params: [AnyHashable: Any]?, aDelegate: AnyObject?) -> CoimConnection {
        register(withParameter: params, delegate: aDelegate)
    }

    /// Does ``updatePasswd(_:delegate:)``.
    @nonobjc @discardableResult
    public static func updPasswd(_ params: [AnyHashable: Any]?, aDelegate: AnyObject?) -> CoimConnection {
        updatePasswd(params, delegate: aDelegate)
    }

    /// Does ``attachFiles(_:to:withParams:delegate:)``.
    @nonobjc @discardableResult
    public static func attach(
        _ files: [Any]?,
        toURL: String,
        params: [AnyHashable: Any]?,
        aDelegate: AnyObject?
    ) -> CoimConnection {
        attachFiles(files, to: toURL, withParams: params, delegate: aDelegate)
    }

    /// Does ``getErrCode(from:)``.
    @nonobjc
    public static func getErrCode(_ dic: [AnyHashable: Any]?) -> Int { Int(getErrCode(from: dic)) }

    /// Does ``getMessage(from:)``.
    @nonobjc
    public static func getMessage(_ dic: [AnyHashable: Any]?) -> String { getMessage(from: dic) }

    /// Does ``getValue(from:)``.
    @nonobjc
    public static func getValue(_ dic: [AnyHashable: Any]?) -> [AnyHashable: Any] { getValue(from: dic) }

    /// Does ``getList(from:)``.
    @nonobjc
    public static func getList(_ dic: [AnyHashable: Any]?) -> [Any] { getList(from: dic) }

    /// A stored value of the session: `token` or `accName`; `nil` for others, and when there is none.
    @nonobjc
    public static func getProperty(_ key: String) -> String? {
        let session = CoimAdapter.current.session
        switch key {
        case "token": return session?.token
        case "accName": return session?.account
        default: return nil
        }
    }

    /// Does ``alertMessage(_:)``.
    @nonobjc
    public static func showAlert(_ msg: String) { alertMessage(msg) }
}
