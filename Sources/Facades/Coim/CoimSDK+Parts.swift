import Foundation

// MARK: - Parts of an answer

extension coimSDK {
    /// The `errCode` of an answer; -5000 when it has none.
    #if canImport(ObjectiveC)
    @objc(getErrCodeFrom:)
    #endif
    public static func getErrCode(from dic: [AnyHashable: Any]?) -> Int32 {
        Int32(clamping: CoimAnswer.errCode(dic ?? [:]))
    }

    /// The `message` of an answer; empty when it has none.
    #if canImport(ObjectiveC)
    @objc(getMessageFrom:)
    #endif
    public static func getMessage(from dic: [AnyHashable: Any]?) -> String { CoimAnswer.message(dic ?? [:]) }

    /// The `value` of an answer; empty when it has none.
    #if canImport(ObjectiveC)
    @objc(getValueFrom:)
    #endif
    public static func getValue(from dic: [AnyHashable: Any]?) -> [AnyHashable: Any] { CoimAnswer.value(dic ?? [:]) }

    /// The rows in the `value` of an answer; empty when it has none.
    #if canImport(ObjectiveC)
    @objc(getListFrom:)
    #endif
    public static func getList(from dic: [AnyHashable: Any]?) -> [Any] { CoimAnswer.list(dic ?? [:]) }
}

// MARK: - The session, the network and messages

extension coimSDK {
    /// The session's token; empty when nobody is logged in.
    ///
    /// It is a secret: whoever has it is logged in as this person.
    #if canImport(ObjectiveC)
    @objc(getToken)
    #endif
    public static func getToken() -> String { CoimAdapter.current.token }

    /// Deletes the session on this phone alone; ``logout(_:)`` ends it at the server as well.
    #if canImport(ObjectiveC)
    @objc(clearToken)
    #endif
    public static func clearToken() { CoimAdapter.current.endSession() }

    /// Whether the phone has a network, which says nothing about the server.
    #if canImport(ObjectiveC)
    @objc(checkNetwork)
    #endif
    public static func checkNetwork() -> Bool { NetworkInterface.isOnline(NetworkInterface.all) }

    /// Shows a message over the app's topmost screen, on iOS alone.
    #if canImport(ObjectiveC)
    @objc(alertMessage:)
    #endif
    public static func alertMessage(_ msg: String) {
        #if canImport(UIKit)
        CoimAlert.show(msg)
        #else
        NSLog("%@", msg)
        #endif
    }
}
