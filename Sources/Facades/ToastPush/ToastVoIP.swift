import Carillon
public import Foundation

/// TOAST Push's calls, by PushKit and CallKit.
///
/// No permission and no consent are required, but `ToastPush.initialize` must be called first. As with TOAST Push's own SDK,
/// the delegate reports each VoIP push to CallKit before it returns; ``reportsCalls`` leaves it to Carillon's SDK.
#if canImport(ObjectiveC)
@objc(ToastVoIP)
#endif
public final class ToastVoIP: NSObject {
    /// Sets the delegate, which is notified of calls; a weak reference.
    ///
    /// Call it in `application(_:didFinishLaunchingWithOptions:)`.
    #if canImport(ObjectiveC)
    @objc(setDelegate:)
    #endif
    public static func setDelegate(_ delegate: (any ToastVoIPDelegate)?) {
        ToastPushAdapter.current.callDelegate = delegate
    }

    /// Whether Carillon's SDK reports calls to CallKit in the delegate's place; Carillon's own addition, false at first.
    ///
    /// Without a delegate the SDK always does. Both must not: the phone would ring twice.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static var reportsCalls: Bool {
        get { ToastPushAdapter.current.reportsCalls }
        set { ToastPushAdapter.current.reportsCalls = newValue }
    }

    /// Registers the VoIP token.
    #if canImport(ObjectiveC)
    @objc(registerWithCompletionHandler:)
    #endif
    public static func register(completion: ToastPush.TokenInfoHandler?) {
        ToastPushAdapter.current.registerCalls(completion)
    }

    /// The last registration of a VoIP token on this device.
    #if canImport(ObjectiveC)
    @objc(queryTokenInfoWithCompletionHandler:)
    #endif
    public static func queryTokenInfo(completion: @escaping ToastPush.TokenInfoHandler) {
        ToastPushAdapter.current.queryCalls(completion)
    }

    /// Unregisters the VoIP token; returns it, or nothing when none was registered.
    #if canImport(ObjectiveC)
    @objc(unregisterWithCompletionHandler:)
    #endif
    public static func unregister(completion: (@MainActor @Sendable (String?, (any Error)?) -> Void)?) {
        ToastPushAdapter.current.unregisterCalls { token, error in completion?(token ?? nil, error) }
    }
}

extension ToastPushAdapter {
    func registerCalls(_ completion: Completion<ToastPushTokenInfo>?) {
        change(completion) { [self] app in
            let user = try registeredUser()
            try await app.client.setUser(user)
            let record = try await app.voIP.register()
            return try await callInfo(app, record)
        }
    }

    func queryCalls(_ completion: @escaping Completion<ToastPushTokenInfo>) {
        query(completion) { [self] app in try await callInfo(app, try await app.voIP.fetchRecord()) }
    }

    func unregisterCalls(_ completion: Completion<String?>?) {
        change(completion) { app in
            guard let registered = try await app.client.lastVoIPRegistration() else { return nil }
            try await app.voIP.unregister()
            return registered.token.hexadecimal
        }
    }

    @MainActor
    private func callInfo(_ app: CarillonApp, _ record: VoIPRecord) async throws -> ToastPushTokenInfo {
        guard let registered = try await app.client.lastVoIPRegistration() else {
            throw ToastPushError.nothingRegistered
        }
        return ToastPushTokenInfo(
            ToastPushTokenInfo.Fields(
                userID: userID ?? deviceID,
                deviceToken: registered.token.hexadecimal,
                countryCode: configuration?.countryCode ?? PhoneFacts.country,
                languageCode: configuration?.languageCode ?? PhoneFacts.language,
                pushType: .voIP,
                consent: consent,
                timezone: configuration?.timezone ?? PhoneFacts.timeZone,
                updateDateTime: ToastPushTokenInfo.text(record.registeredAt),
                sandbox: record.pushType.isSandbox
            )
        )
    }
}
