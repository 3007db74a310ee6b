#if canImport(UIKit)
import Foundation
public import ToastPush
import ToastVoIP

/// The vendor's samples of single calls, in Swift; each logs what its callback says.
@MainActor
public struct ToastSamples {
    /// Takes what happens.
    public typealias Log = @MainActor @Sendable (String) -> Void

    private let log: Log

    /// Makes the samples.
    public init(log: @escaping Log) { self.log = log }

    /// Start and delegate, one after the other.
    public static func start(appKey: String, delegate: any ToastPushDelegate) {
        ToastPush.initialize(configuration: ToastPushConfiguration.configuration(appKey: appKey))
        ToastPush.setDelegate(delegate)
    }

    /// Login.
    public func logIn(_ userID: String) { ToastSDK.setUserID(userID) }

    /// Logout; the token stays.
    public func logOut() { ToastSDK.setUserID(nil) }

    /// Registration with what the person agreed to.
    public func register() {
        let agreement = ToastPushAgreement(allowNotifications: true)
        agreement.allowAdvertisements = true
        agreement.allowNightAdvertisements = true

        ToastPush.register(agreement: agreement) { [log] tokenInfo, error in
            if let error {
                log("Failed to register : \(error.localizedDescription)")
            } else {
                log("Successfully registered : \(tokenInfo?.deviceToken ?? "")")
            }
        }
    }

    /// Registration with what the person agreed to before.
    public func registerAgain() {
        ToastPush.register { [log] tokenInfo, error in
            switch error {
            case nil: log("Registered again : \(tokenInfo?.deviceToken ?? "")")
            case ToastPushError.permissionDenied?: log("The person does not allow notifications")
            case let error?: log("Failed to register again : \(error.localizedDescription)")
            }
        }
    }

    /// What is registered.
    public func query() {
        ToastPush.queryTokenInfo { [log] tokenInfo, error in
            if let error {
                log("Failed to query token info : \(error.localizedDescription)")
            } else {
                log("Successfully query token info : \(tokenInfo?.description ?? "")")
            }
        }
    }

    /// The token is taken back.
    public func unregister() {
        ToastPush.unregister { [log] deviceToken, error in
            if let error {
                log("Failed to unregister : \(error.localizedDescription)")
            } else {
                log("Successfully unregistered token : \(deviceToken ?? "")")
            }
        }
    }

    /// Tags are added, set, read and taken away.
    public func tags() {
        let tagIDs: Set<String> = ["ZZPP00b6", "ZZPP00b7"]
        ToastPush.addUserTag(tagIDs) { [log] tags, error in log("added: \(Self.text(tags, error))") }
        ToastPush.setUserTag(["ZZPP00b6"]) { [log] error in log("set: \(error?.localizedDescription ?? "done")") }
        ToastPush.getUserTag { [log] tags, error in log("tags: \(Self.text(tags, error))") }
        ToastPush.removeUserTag(["ZZPP00b6"]) { [log] tags, error in log("left: \(Self.text(tags, error))") }
        ToastPush.removeAllUserTag { [log] error in log("removed: \(error?.localizedDescription ?? "all")") }
    }

    /// The token for calls.
    public func registerForCalls() {
        ToastVoIP.register { [log] tokenInfo, error in
            if let error {
                log("Failed to register : \(error.localizedDescription)")
            } else {
                log("Successfully registered for calls : \(tokenInfo?.deviceToken ?? "")")
            }
        }
    }

    /// What is registered for calls, and the token is taken back.
    public func unregisterFromCalls() {
        ToastVoIP.queryTokenInfo { [log] tokenInfo, _ in log("for calls : \(tokenInfo?.pushType.rawValue ?? "none")") }
        ToastVoIP.unregister { [log] deviceToken, error in
            log("Unregistered from calls : \(deviceToken ?? error?.localizedDescription ?? "")")
        }
    }

    private static func text(_ tags: Set<String>?, _ error: (any Error)?) -> String {
        error?.localizedDescription ?? (tags ?? []).sorted().joined(separator: ",")
    }
}
#endif
