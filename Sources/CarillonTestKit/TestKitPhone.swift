public import Carillon
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
/// What it proves and what not stands in the guide for app developers. Everything that your code does with the system
/// has to happen within the phone: in its delegate, or in ``run(_:)``.
///
/// Unchecked: `lock` protects `process`; everything else is safe by itself or never changes.
public final class TestKitPhone: @unchecked Sendable {
    /// What the person does with a notification.
    public enum Gesture: Sendable {
        /// Taps it.
        case tap
        /// Throws it away.
        case dismiss
        /// Presses a button, and writes a text if it asks for one.
        case press(String, reply: String? = nil)
    }

    /// What the phone is like.
    public struct Setup: Sendable {
        /// Whether the person allows notifications when asked.
        public var allowsNotifications = true
        /// What Apple hands to the app.
        public var deviceToken = Data(repeating: 1, count: 32)
        /// What PushKit hands to the app.
        public var callToken = Data(repeating: 2, count: 32)
        /// The app's Info.plist, as far as Carillon and the facades look at it.
        public var info: [String: any Sendable] = ["CarillonServerURL": TestKitServer.url.absoluteString]
        /// The service extension's Info.plist.
        public var extensionInfo: [String: any Sendable] = ["CarillonServerURL": TestKitServer.url.absoluteString]
        /// Makes the service extension; `nil`: the app has none.
        public var serviceExtension: (@Sendable () -> UNNotificationServiceExtension)?
        /// Where media comes from, by URL; `nil` for what is not there.
        public var media: (@Sendable (URL) -> Data?)?
        /// Finds files of the service extension's own, by their full names.
        public var bundled: (@Sendable (String) -> URL?)?
        /// What the phone tells about itself.
        package var facts = DeviceFacts.tested
        package var time: any TimeSource = SystemTime()

        /// A phone whose person allows notifications.
        public init() {}
    }

    package let system: SimulatedSystem
    /// Where the phone keeps everything.
    public let folder: URL
    let setup: Setup
    let server: any Transport
    let memory = TestKitMemory()
    let lock = NSLock()
    var process: FacadeDependencies

    /// Switches a phone on, with the app installed and not yet started.
    ///
    /// - Parameters:
    ///   - server: Carries requests: a ``TestKitServer``, or a way to a real one.
    ///   - setup: What the phone is like.
    ///   - app: Makes the app's delegate; called at each start.
    /// - Throws: Any error when there is no place to keep anything.
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
    /// An app takes it in place of a client of its own, which would look for an Info.plist and a network.
    ///
    /// - Parameter configuration: Where the server is, and the App's key; missing: the test kit's.
    /// - Returns: The client.
    /// - Throws: `CarillonError` when the configuration cannot be used.
    public static func makeClient(_ configuration: CarillonConfiguration? = nil) throws(CarillonError) -> CarillonClient
    {
        let standard = CarillonConfiguration(server: TestKitServer.url, appKey: TestKitServer.appKey)
        return try FacadeDependencies.current.client(configuration ?? standard)
    }
}

// MARK: - What the person and the system do

extension TestKitPhone {
    /// Runs something as the phone's own code.
    ///
    /// - Parameter body: What to run.
    /// - Returns: What it returns.
    public func run<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
        try await FacadeDependencies.$current.withValue(dependencies) {
            try await SimulatedSystem.$current.withValue(system) { try await body() }
        }
    }

    /// Starts the app or brings it to the front.
    public func openApp() async {
        beginProcess()
        await run { [system] in await system.openApp() }
    }

    /// Sends the app behind; it goes on running.
    public func leaveApp() { system.leaveApp() }

    /// Ends the app, as the system or the person may at any time; everything on disk stays.
    public func endApp() { system.killApp() }

    /// Takes a push, as from Apple.
    ///
    /// - Parameter payload: The payload; `nil`: none came.
    /// - Returns: The notification's identifier when it is shown; `nil` when nothing is.
    @discardableResult
    public func receive(_ payload: Data?) async -> String? {
        guard let payload else { return nil }
        beginProcess()
        let arrival = await run { [system] in await system.receive(SimulatedPush(payload: payload)) }
        return arrival.presentation == .hidden ? nil : arrival.identifier
    }

    /// Takes a push for a call, as from Apple.
    ///
    /// - Parameter payload: The payload; `nil`: none came.
    /// - Returns: Whether a call was reported to CallKit; the system ends an app that reports none.
    @discardableResult
    public func receiveCall(_ payload: Data?) async -> Bool {
        guard let payload else { return false }
        beginProcess()
        return await run { [system] in await system.receiveCall(payload) }
    }

    /// Does something with a notification that is shown.
    ///
    /// - Parameters:
    ///   - gesture: What the person does.
    ///   - identifier: Which notification.
    /// - Returns: Whether the app was told.
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

    /// The links that the app had the system open.
    public var openedLinks: [URL] { system.openedURLs }

    /// The calls that were reported to CallKit: who calls.
    public var calls: [String] { system.part(SimulatedTelephone.self).calls.map { $0.caller ?? "" } }

    /// What the app did that the real system would not forgive.
    public var complaints: [String] { system.complaints }
}
