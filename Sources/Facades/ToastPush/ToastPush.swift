#if canImport(UIKit)
public import Carillon
import FacadeSupport
public import Foundation

/// TOAST Push's API on Carillon: each of the vendor's calls is translated to one of Carillon's SDK.
///
/// Callbacks are called on the main thread.
#if canImport(ObjectiveC)
@objc(ToastPush)
#endif
public final class ToastPush: NSObject {
    /// The result of a registration or a query.
    public typealias TokenInfoHandler = @MainActor @Sendable (ToastPushTokenInfo?, (any Error)?) -> Void
    /// The result of a change of tags: the user's tags, or an error.
    public typealias TagHandler = @MainActor @Sendable (Set<String>?, (any Error)?) -> Void

    // MARK: - Starting

    /// Starts; call it in `application(_:didFinishLaunchingWithOptions:)`.
    ///
    /// - Parameter configuration: The configuration.
    #if canImport(ObjectiveC)
    @objc(initWithConfiguration:)
    #endif
    public static func initialize(configuration: ToastPushConfiguration) {
        ToastPushAdapter.current.begin(configuration.fields)
    }

    /// Starts; call it in `application(_:didFinishLaunchingWithOptions:)`.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - delegate: Notified of pushes; a weak reference.
    #if canImport(ObjectiveC)
    @objc(initWithConfiguration:delegate:)
    #endif
    public static func initialize(configuration: ToastPushConfiguration, delegate: (any ToastPushDelegate)?) {
        let adapter = ToastPushAdapter.current
        adapter.delegate = delegate
        adapter.begin(configuration.fields)
    }

    /// Sets the delegate, which is notified of pushes; a weak reference.
    #if canImport(ObjectiveC)
    @objc(setDelegate:)
    #endif
    public static func setDelegate(_ delegate: (any ToastPushDelegate)?) {
        let adapter = ToastPushAdapter.current
        adapter.delegate = delegate
        adapter.beginByInfo()
    }

    /// Sets how notifications are presented; `nil` for the defaults.
    #if canImport(ObjectiveC)
    @objc(setNotificationOptions:)
    #endif
    public static func setNotificationOptions(_ options: ToastNotificationOptions?) {
        let adapter = ToastPushAdapter.current
        adapter.options = options?.fields ?? ToastNotificationOptions.Fields()
        adapter.beginByInfo()
    }

    /// How notifications are presented.
    #if canImport(ObjectiveC)
    @objc(notificationOptions)
    #endif
    public static func notificationOptions() -> ToastNotificationOptions {
        let options = ToastNotificationOptions()
        options.fields = ToastPushAdapter.current.options
        return options
    }

    /// Carillon's own SDK, for what the vendor's names do not have: categories, the inbox, attributes (`carillonApp?.client`).
    ///
    /// `nil` before ``initialize(configuration:)``, and when the SDK could not be started. Its `delegate` is the facade's own.
    @MainActor
    public static var carillonApp: CarillonApp? { try? ToastPushAdapter.current.startedApp() }

    // MARK: - What the app's delegate hands on

    /// Passes the device token, from `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`.
    ///
    /// The vendor's SDK replaces this method of your delegate at run time; Carillon's does not.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func didRegister(deviceToken: Data) {
        let adapter = ToastPushAdapter.current
        MainThread.run { try? adapter.startedApp().didRegister(deviceToken: deviceToken) }
    }

    /// Passes the failure, from `application(_:didFailToRegisterForRemoteNotificationsWithError:)`.
    #if canImport(ObjectiveC)
    @objc
    #endif
    public static func didFailToRegister(_ error: any Error) {
        let adapter = ToastPushAdapter.current
        MainThread.run { try? adapter.startedApp().didFailToRegister(error) }
    }

    // MARK: - The token

    /// Requests permission, and registers with a consent.
    #if canImport(ObjectiveC)
    @objc(registerWithAgreement:completionHandler:)
    #endif
    public static func register(agreement: ToastPushAgreement, completion: TokenInfoHandler?) {
        ToastPushAdapter.current.register(agreement.consent, completion)
    }

    /// Requests permission, and registers with the last consent, or none.
    #if canImport(ObjectiveC)
    @objc(registerWithCompletionHandler:)
    #endif
    public static func register(completion: TokenInfoHandler?) { ToastPushAdapter.current.register(nil, completion) }

    /// The last registration on this device.
    #if canImport(ObjectiveC)
    @objc(queryTokenInfoWithCompletionHandler:)
    #endif
    public static func queryTokenInfo(completion: @escaping TokenInfoHandler) {
        ToastPushAdapter.current.queryTokenInfo(completion)
    }

    /// Unregisters the token; returns it, or nothing when none was registered.
    #if canImport(ObjectiveC)
    @objc(unregisterWithCompletionHandler:)
    #endif
    public static func unregister(completion: (@MainActor @Sendable (String?, (any Error)?) -> Void)?) {
        ToastPushAdapter.current.unregister { token, error in completion?(token ?? nil, error) }
    }

    /// The device's own id.
    #if canImport(ObjectiveC)
    @objc(deviceID)
    #endif
    public static func deviceID() -> String { ToastPushAdapter.current.identity.deviceID }

    /// Sets the device's own id, under which the device is registered while nobody is logged in.
    #if canImport(ObjectiveC)
    @objc(setDeviceID:)
    #endif
    public static func setDeviceID(_ deviceID: String) { ToastPushAdapter.current.identity.setDeviceID(deviceID) }

    /// The version of Carillon's SDK.
    @nonobjc
    public static func version() -> String { ToastPushAdapter.version }

    #if canImport(ObjectiveC)
    /// The version of Carillon's SDK, for Objective-C: `+version` is a number of every `NSObject`, which Swift cannot replace.
    @objc(sdkVersion)
    public static func sdkVersion() -> String { ToastPushAdapter.version }
    #endif
}

// MARK: - Tags

extension ToastPush {
    /// Adds tags to the user's; returns all tags.
    #if canImport(ObjectiveC)
    @objc(addUserTagWithIdentifiers:completionHandler:)
    #endif
    public static func addUserTag(_ identifiers: Set<String>, completion: TagHandler?) {
        ToastPushAdapter.current.tags(completion) { try await $0.addTags(ToastPushAdapter.tagIDs(identifiers)) }
    }

    /// Replaces the user's tags; `nil` removes all.
    #if canImport(ObjectiveC)
    @objc(setUserTagWithIdentifiers:completionHandler:)
    #endif
    public static func setUserTag(
        _ identifiers: Set<String>?,
        completion: (@MainActor @Sendable ((any Error)?) -> Void)?
    ) {
        ToastPushAdapter.current.tags({ completion?($1) }) { client in
            try await client.setTags(ToastPushAdapter.tagIDs(identifiers ?? []))
        }
    }

    /// The user's tags.
    #if canImport(ObjectiveC)
    @objc(getUserTagWithCompletionHandler:)
    #endif
    public static func getUserTag(completion: @escaping TagHandler) {
        ToastPushAdapter.current.tags(completion) { try await $0.fetchTags() }
    }

    /// Removes tags from the user's; returns all tags.
    #if canImport(ObjectiveC)
    @objc(removeUserTagWithIdentifiers:completionHandler:)
    #endif
    public static func removeUserTag(_ identifiers: Set<String>, completion: TagHandler?) {
        ToastPushAdapter.current.tags(completion) { try await $0.removeTags(ToastPushAdapter.tagIDs(identifiers)) }
    }

    /// Removes all tags.
    #if canImport(ObjectiveC)
    @objc(removeAllUserTagWithCompletionHandler:)
    #endif
    public static func removeAllUserTag(completion: (@MainActor @Sendable ((any Error)?) -> Void)?) {
        ToastPushAdapter.current.tags({ completion?($1) }) { try await $0.removeAllTags() }
    }
}
#endif
