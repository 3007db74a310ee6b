#if canImport(UIKit)
public import Foundation
public import ToastPush
public import ToastVoIP
public import UIKit

/// The vendor's samples of starting, delegates and the login, in Swift.
///
/// New are the two methods that hand on the device token: the vendor's SDK took it by replacing methods at run time.
public final class ToastAppDelegate: UIResponder, UIApplicationDelegate, ToastPushDelegate, ToastVoIPDelegate {
    private let appKey: String
    private let log: @MainActor (String) -> Void

    /// Makes the delegate.
    ///
    /// - Parameters:
    ///   - appKey: The App key of Carillon's server.
    ///   - log: Takes what happens.
    public init(appKey: String, log: @escaping @MainActor (String) -> Void) {
        self.appKey = appKey
        self.log = log
        super.init()
    }

    /// Starts, and says at once who is told of pushes and calls.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let configuration = ToastPushConfiguration(appKey: appKey)
        #if DEBUG
        configuration.sandbox = true
        #endif
        ToastPush.initialize(configuration: configuration, delegate: self)
        ToastVoIP.setDelegate(self)
        // Carillon's addition: its SDK reports calls to CallKit. An app that has a CXProvider leaves this out and reports them in
        // didReceiveIncomingVoiceCall.
        ToastVoIP.reportsCalls = true

        let options = ToastNotificationOptions()
        options.foregroundEnabled = true  // default: false
        options.badgeEnabled = true
        options.soundEnabled = true
        ToastPush.setNotificationOptions(options)
        return true
    }

    /// Hands the token on.
    public func application(
        _ application: UIApplication,
        didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
        ToastPush.didRegister(deviceToken: deviceToken)
    }

    /// Hands the failure on.
    public func application(
        _ application: UIApplication,
        didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
        ToastPush.didFailToRegister(error)
    }

    /// A push came.
    public func didReceiveNotification(message: ToastPushMessage) {
        log("received: \(message.title ?? "")")
    }

    /// A notification was tapped.
    public func didReceiveNotificationResponse(message: ToastPushMessage) {
        log("opened: \(message.title ?? "")")
    }

    /// A button was pressed.
    public func didReceiveNotificationAction(action: ToastPushNotificationAction) {
        log("action: \(action.button.name) \(action.userText ?? "")")
    }

    /// A call comes in.
    public func didReceiveIncomingVoiceCall(message: ToastPushMessage) {
        log("call: \(message.title ?? "")")
    }
}

/// The vendor's sample of a service extension: an empty subclass.
public nonisolated final class ToastNotificationService: ToastPushServiceExtension {}

/// The vendor's sample of a service extension that sets its App key in code.
open nonisolated class ToastCodedNotificationService: ToastPushServiceExtension {
    /// The App key of Carillon's server.
    open class var appKey: String { "INPUT_YOUR_APPKEY" }

    /// Starts, only to report what was received.
    public override init() {
        super.init()
        ToastPush.initialize(configuration: ToastPushConfiguration(appKey: Self.appKey))
    }
}
#endif
