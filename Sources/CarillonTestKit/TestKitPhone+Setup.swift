package import Carillon
public import Foundation
public import UIKit
public import UserNotifications

extension TestKitPhone {
    /// The phone's configuration.
    public struct Setup: Sendable {
        /// Whether the person allows notifications when asked.
        public var allowsNotifications = true
        /// Whether the app has the life cycle of scenes: no launch options, no `applicationDidBecomeActive(_:)`.
        public var usesScenes = SimulatedSystem.Traits().usesScenes
        /// Makes the delegate of the app's scene, where the app names its class: Swift on Linux cannot make an object of a
        /// class that it knows by name alone.
        public var sceneDelegate: (@MainActor @Sendable () -> any UISceneDelegate)?
        /// The device token.
        public var deviceToken = Data(repeating: 1, count: 32)
        /// The VoIP token.
        public var callToken = Data(repeating: 2, count: 32)
        /// Whether the person allows the app to see where the phone is when asked.
        public var allowsLocation = true
        /// The app's Info.plist, with the keys that Carillon and the facades read: address and App key of the test kit's server
        /// unless set.
        public var info = Self.keys(TestKitServer.url, TestKitServer.appKey)
        /// The service extension's Info.plist, with the same keys.
        public var extensionInfo = Self.keys(TestKitServer.url, TestKitServer.appKey)
        /// Makes the service extension; `nil`: the app has none.
        public var serviceExtension: (@Sendable () -> UNNotificationServiceExtension)?
        /// Returns media by its URL; `nil` when there is none.
        public var media: (@Sendable (URL) -> Data?)?
        /// Finds files of the service extension's bundle by their full names.
        public var bundled: (@Sendable (String) -> URL?)?
        /// The Device's facts.
        package var facts = DeviceFacts.tested
        package var time: any TimeSource = SystemTime()

        /// A phone whose person allows notifications.
        public init() {}

        /// The phone's language, a language tag such as `zh-Hant-TW`.
        public var language: String {
            get { facts.language ?? "" }
            set { facts.language = newValue }
        }

        static func keys(_ server: URL, _ appKey: String) -> [String: any Sendable] {
            ["CarillonServerURL": server.absoluteString, "CarillonAppKey": appKey]
        }
    }
}
