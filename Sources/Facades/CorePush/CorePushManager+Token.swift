#if canImport(UIKit)
import Carillon
public import Foundation
import UIKit
import UserNotifications

/// Requested permissions; the vendor's second SDK has this type in place of the system's own type, which was removed.
public struct CorePushNotificationType: OptionSet, Sendable {
    /// The vendor's number.
    public let rawValue: Int

    /// Wraps a number.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A number on the app's icon.
    public static let badge = Self(rawValue: 1)
    /// A sound.
    public static let sound = Self(rawValue: 2)
    /// Text on the screen.
    public static let alert = Self(rawValue: 4)

    var options: UNAuthorizationOptions {
        var options: UNAuthorizationOptions = []
        if contains(.badge) { options.insert(.badge) }
        if contains(.sound) { options.insert(.sound) }
        if contains(.alert) { options.insert(.alert) }
        return options
    }
}

extension CorePushManager {
    /// Requests permission and a token, and sends the token.
    ///
    /// The app passes the token to ``registerDeviceToken(_:)``.
    public func registerForRemoteNotifications() { registerForRemoteNotificationTypes([.alert, .badge, .sound]) }

    #if canImport(ObjectiveC)
    /// Requests permissions and a token, and sends the token; for Objective-C, which has no ``CorePushNotificationType``.
    ///
    /// - Parameter types: The sum of badge 1, sound 2, alert 4.
    @objc(registerForRemoteNotificationTypes:)
    public func registerForRemoteNotificationTypes(number types: Int) {
        registerForRemoteNotificationTypes(CorePushNotificationType(rawValue: types))
    }
    #endif

    /// Requests permissions and a token, and sends the token.
    @nonobjc
    public func registerForRemoteNotificationTypes(_ types: CorePushNotificationType) {
        register { app, consent, user in
            let adapter = CorePushAdapter.current
            adapter.awaitsToken = true
            defer { adapter.awaitsToken = false }
            return try await app.register(consent: consent, user: user, options: types.options)
        }
    }

    /// Sends the device token.
    ///
    /// - Parameter deviceToken: The token from the app's delegate.
    public func registerDeviceToken(_ deviceToken: Data) {
        let adapter = CorePushAdapter.current
        do {
            let app = try adapter.startedApp()
            // A registration in progress waits for it; otherwise it starts one.
            if adapter.awaitsToken { return app.didRegister(deviceToken: deviceToken) }
            guard let token = DeviceToken(bytes: deviceToken) else { throw CorePushCallError.invalidToken }
            register(token)
        } catch {
            adapter.post(.CorePushManagerRegisterTokenRequestFail, error)
        }
    }

    /// Reports the system's failure, from `application(_:didFailToRegisterForRemoteNotificationsWithError:)`.
    ///
    /// The vendor's SDK has no such call; without it a registration fails only after its deadline.
    public func didFailToRegister(_ error: any Error) {
        try? CorePushAdapter.current.startedApp().didFailToRegister(error)
    }

    /// Sends a token that the app has stored as text.
    ///
    /// - Parameter deviceToken: Hexadecimal digits.
    public func registerDeviceTokenString(_ deviceToken: String) {
        guard let token = DeviceToken(hexadecimal: deviceToken) else {
            return CorePushAdapter.current.post(
                .CorePushManagerRegisterTokenRequestFail,
                CorePushCallError.invalidToken
            )
        }
        register(token)
    }

    /// Unregisters the token.
    ///
    /// Without a token nothing is sent, which counts as success.
    public func unregisterDeviceToken() {
        CorePushAdapter.current.change(
            success: .CorePushManagerUnregisterTokenRequestSuccess,
            failure: .CorePushManagerUnregisterTokenRequestFail
        ) { [memory] app in
            if try await app.client.lastRegistration != nil {
                // The token first: a Device that registers again for its inbox must not restore it.
                try await app.client.setDeviceToken(nil)
                try await app.client.unregister()
            }
            memory.keep("", .deviceToken)
            memory.keep(false, .isDeviceTokenSentToServer)
        }
    }

    /// Sends the person's attributes to the app's own back end.
    ///
    /// - Parameters:
    ///   - attributes: All of them.
    ///   - api: An `https` URL.
    public func registerUserAttributes(_ attributes: [String], api: String) {
        let user = Result { try readUser() }
        CorePushAdapter.current.change(
            success: .CorePushManagerRegisterUserAttributesRequestSuccess,
            failure: .CorePushManagerRegisterUserAttributesRequestFail
        ) { app in
            guard let url = URL(string: api) else { throw CorePushCallError.invalidURL }
            try await app.client.setUser(try user.get())
            try await app.client.sendAttributes(attributes, to: url)
        }
    }

    // MARK: - Private

    private func register(_ token: DeviceToken) {
        register { app, consent, user in
            // Stored, and sent with the registration.
            try await app.client.setDeviceToken(token)
            return try await app.client.register(consent: consent, user: user)
        }
    }

    private func register(
        _ work: @escaping @MainActor @Sendable (CarillonApp, Consent, UserID?) async throws -> CarillonClient.Registered
    ) {
        let user = Result { try readUser() }
        let categories = Result { try readCategories() }
        CorePushAdapter.current.change(
            success: .CorePushManagerRegisterTokenRequestSuccess,
            failure: .CorePushManagerRegisterTokenRequestFail
        ) { [memory] app in
            let (user, categories) = (try user.get(), try categories.get())
            let known = try await app.client.lastRegistration?.registration.categories
            if categories != known { try await app.client.setCategories(categories) }
            // In the vendor's SDK registering means consent to notifications; it has no consent to ads.
            let registered = try await work(app, Consent(notifications: true), user)
            guard let token = registered.registration.token else { throw CorePushCallError.noToken }
            memory.keep(token.hexadecimal, .deviceToken)
            memory.keep(true, .isDeviceTokenSentToServer)
        }
    }
}
#endif
