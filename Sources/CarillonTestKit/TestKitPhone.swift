public import Carillon
import CarillonServiceExtension
import FacadeSupport
public import Foundation
import PushKit
public import UIKit
public import UserNotifications

/// A simulated iPhone that runs your app's own delegate and service extension, without Apple and without a network.
///
/// ```swift
/// let server = TestKitServer()
/// let phone = try TestKitPhone(server: server) { AppDelegate() }
/// await phone.openApp()
/// ```
///
/// The guide for app developers tells what it proves. Code that uses the system must run within the phone: in the app's
/// delegate, or in ``run(_:)``.
///
/// Unchecked: `lock` protects `process`; everything else is safe by itself or immutable.
public final class TestKitPhone: @unchecked Sendable {
    /// What the person does with a notification.
    public enum Gesture: Sendable {
        /// Taps it.
        case tap
        /// Dismisses it.
        case dismiss
        /// Presses a button, and types a text if it has a text field.
        case press(String, reply: String? = nil)
    }

    /// The phone's configuration.
    public struct Setup: Sendable {
        /// Whether the person allows notifications when asked.
        public var allowsNotifications = true
        /// Whether the app has the life cycle of scenes: no launch options, no `applicationDidBecomeActive(_:)`.
        public var usesScenes = SimulatedSystem.Traits().usesScenes
        /// The device token.
        public var deviceToken = Data(repeating: 1, count: 32)
        /// The VoIP token.
        public var callToken = Data(repeating: 2, count: 32)
        /// The app's Info.plist, with the keys that Carillon and the facades read.
        public var info: [String: any Sendable] = ["CarillonServerURL": TestKitServer.url.absoluteString]
        /// The service extension's Info.plist.
        public var extensionInfo: [String: any Sendable] = ["CarillonServerURL": TestKitServer.url.absoluteString]
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
    }

    package let system: SimulatedSystem
    /// The folder of the phone's files.
    public let folder: URL
    let setup: Setup
    let server: any Transport
    let memory = TestKitMemory()
    let lock = NSLock()
    var process: FacadeDependencies

    /// Makes a phone, with the app installed and not yet launched.
    ///
    /// - Parameters:
    ///   - server: The transport: a ``TestKitServer``, or one to a real server.
    ///   - setup: The phone's configuration.
    ///   - app: Makes the app's delegate; called at each launch.
    /// - Throws: Any error when the phone's folder cannot be made.
    public init(
        server: any Transport,
        setup: Setup = Setup(),
        app: @escaping @MainActor @Sendable () -> any UIApplicationDelegate
    ) throws {
        self.server = server
        self.setup = setup
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("carillon-test-kit-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var traits = SimulatedSystem.Traits()
        traits.promptAnswer = setup.allowsNotifications ? .allow : .deny
        traits.attachmentStore = folder
        traits.usesScenes = setup.usesScenes
        let time = setup.time
        system = SimulatedSystem(
            traits: traits,
            now: { time.now().date },
            sleep: { try await time.sleep(seconds: $0) }
        )
        process = Self.dependencies(setup, server, folder, memory, isExtension: false)
        let token = setup.deviceToken
        system.token = { token }
        system.part(SimulatedTelephone.self).give(setup.callToken)
        system.install(app)
        installExtension()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func installExtension() {
        guard let make = setup.serviceExtension else { return }
        let dependencies = Self.dependencies(setup, server, folder, memory, isExtension: true)
        let parts = parts()
        system.makeExtension = {
            FacadeDependencies.$current.withValue(dependencies) {
                let serviceExtension = make()
                (serviceExtension as? CarillonNotificationServiceExtension)?.parts = parts
                return serviceExtension
            }
        }
    }
}

extension TestKitPhone {
    private func parts() -> ServiceExtensionParts {
        var parts = ServiceExtensionParts()
        parts.dependencies = Self.dependencies(setup, server, isExtension: true)
        parts.media = TestKitMedia(find: setup.media ?? { _ in nil })
        parts.mediaFolder = folder
        parts.bundled = setup.bundled ?? { _ in nil }
        if let key = setup.extensionInfo["CarillonAppKey"] as? String,
            let url = (setup.extensionInfo["CarillonServerURL"] as? String).flatMap({ URL(string: $0) })
        {
            var configuration = CarillonConfiguration(server: url, appKey: key)
            configuration.storage = folder
            parts.configuration = configuration
        }
        return parts
    }
}

// MARK: - What the app needs

extension TestKitPhone {
    /// Makes a client for the app on the phone that the calling code runs on.
    ///
    /// An app uses it in place of a client of its own, which would need an Info.plist and a network.
    ///
    /// - Parameter configuration: The client's settings; missing: the test kit's.
    /// - Returns: The client.
    /// - Throws: `CarillonError` when the configuration is invalid.
    public static func makeClient(_ configuration: CarillonConfiguration? = nil) throws(CarillonError) -> CarillonClient
    {
        let standard = CarillonConfiguration(server: TestKitServer.url, appKey: TestKitServer.appKey)
        return try FacadeDependencies.current.client(configuration ?? standard)
    }
}

// MARK: - What the person and the system do

extension TestKitPhone {
    /// Runs code within the phone.
    ///
    /// - Parameter body: The code.
    /// - Returns: Its result.
    public func run<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
        try await FacadeDependencies.$current.withValue(dependencies) {
            try await SimulatedSystem.$current.withValue(system) { try await body() }
        }
    }

    /// Launches the app or brings it to the foreground.
    public func openApp() async {
        beginProcess()
        await run { [system] in await system.openApp() }
    }

    /// Sends the app to the background, where it goes on running.
    public func leaveApp() { system.leaveApp() }

    /// Ends the app, as the system or the person may at any time; everything on disk stays.
    public func endApp() { system.killApp() }

    /// Receives a push, as from Apple.
    ///
    /// - Parameter payload: The payload; `nil`: none.
    /// - Returns: The notification's identifier when it is shown; `nil` when nothing is.
    @discardableResult
    public func receive(_ payload: Data?) async -> String? {
        guard let payload else { return nil }
        beginProcess()
        let arrival = await run { [system] in await system.receive(SimulatedPush(payload: payload)) }
        return arrival.presentation == .hidden ? nil : arrival.identifier
    }

    /// Receives a VoIP push, as from Apple.
    ///
    /// - Parameter payload: The payload; `nil`: none.
    /// - Returns: Whether a call was reported to CallKit; the system ends an app that reports none.
    @discardableResult
    public func receiveCall(_ payload: Data?) async -> Bool {
        guard let payload else { return false }
        beginProcess()
        return await run { [system] in await system.receiveCall(payload) }
    }

    /// Makes the person do something with a notification that is shown.
    ///
    /// - Parameters:
    ///   - gesture: The gesture.
    ///   - identifier: The notification's identifier.
    /// - Returns: Whether the app was notified.
    @discardableResult
    public func respond(_ gesture: Gesture, to identifier: String?) async -> Bool {
        guard let identifier else { return false }
        beginProcess()
        let simulated: SimulatedSystem.Gesture =
            switch gesture {
            case .tap: .tap
            case .dismiss: .dismiss
            case .press(let action, let reply): .press(action: action, reply: reply)
            }
        return await run { [system] in await system.respond(simulated, to: identifier) }
    }

    /// The notifications on the screen: title and text.
    public var notifications: [(title: String, body: String)] {
        system.visible.map { ($0.request.content.title, $0.request.content.body) }
    }

    /// The number on the app's icon.
    public var badge: Int { system.badge }

    /// The links that the app opened with the system.
    public var openedLinks: [URL] { system.openedURLs }

    /// The callers of the calls that were reported to CallKit.
    public var calls: [String] { system.part(SimulatedTelephone.self).calls.map { $0.caller ?? "" } }

    /// What the app did that the real system would end it for.
    public var complaints: [String] { system.complaints }
}
