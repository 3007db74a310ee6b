public import Carillon
import CarillonServiceExtension
import CoreLocation
import FacadeSupport
public import Foundation
import PushKit
public import UIKit
package import UserNotifications

/// A simulated iPhone that runs your app's own delegate and service extension, without Apple and without a network.
///
/// ```swift
/// let server = TestKitServer()
/// let phone = try TestKitPhone(server: server) { AppDelegate() }
/// await phone.openApp()
/// ```
///
/// Within it `CarillonApp(CarillonConfiguration(bundle: .main))` reads ``Setup/info``, keeps its files in ``folder`` and sends
/// to the phone's server, so that an app's own lines need no change. The guide for app developers tells what it proves. Code
/// that uses the system must run within the phone: in the app's delegate, or in ``run(_:)``.
///
/// Unchecked: `lock` protects `process`; everything else is safe by itself or immutable.
public final class TestKitPhone: @unchecked Sendable {
    package let system: SimulatedSystem
    /// The folder of the phone's files.
    public let folder: URL
    let setup: Setup
    let server: any Transport
    let memory = TestKitMemory()
    /// The pushes of an APNs simulator; `nil`: a test hands them over.
    let feed: TestKitFeed?
    let lock = NSLock()
    var process: FacadeDependencies

    /// Makes a phone, with the app installed and not yet launched.
    ///
    /// - Parameters:
    ///   - server: The server, or another transport.
    ///   - setup: The phone's configuration.
    ///   - app: Makes the app's delegate; called at each launch.
    /// - Throws: Any error when the phone's folder cannot be made.
    public convenience init(
        server: any Transport = TestKitServer(),
        setup: Setup = Setup(),
        app: @escaping @MainActor @Sendable () -> any UIApplicationDelegate
    ) throws {
        try self.init(transport: server, setup, feed: nil, app)
    }

    init(
        transport server: any Transport,
        _ setup: Setup,
        feed: TestKitFeed?,
        _ app: @escaping @MainActor @Sendable () -> any UIApplicationDelegate
    ) throws {
        self.feed = feed
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
        system.part(SimulatedCompass.self).promptAnswer = setup.allowsLocation ? .authorizedWhenInUse : .denied
        system.part(SimulatedScenes.self).makeDelegate = setup.sceneDelegate
        system.install(app)
        installExtension()
    }

    deinit {
        feed?.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    private func installExtension() {
        guard let make = setup.serviceExtension else { return }
        let dependencies = Self.dependencies(setup, server, folder, memory, isExtension: true)
        let installation = Self.installation(setup, server, folder, isExtension: true)
        let parts = parts()
        system.makeExtension = {
            SimulatedInstallation.$current.withValue(installation) {
                FacadeDependencies.$current.withValue(dependencies) {
                    let serviceExtension = make()
                    (serviceExtension as? CarillonNotificationServiceExtension)?.parts = parts
                    return serviceExtension
                }
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
    /// An app that makes its client from its Info.plist needs no such line.
    ///
    /// - Parameter configuration: The client's settings; missing: those of the phone's Info.plist.
    /// - Returns: The client.
    /// - Throws: `CarillonError` when the configuration is invalid.
    public static func makeClient(_ configuration: CarillonConfiguration? = nil) throws(CarillonError) -> CarillonClient
    {
        if let configuration { return try FacadeDependencies.current.client(configuration) }
        return try FacadeDependencies.current.client(CarillonConfiguration(bundle: .main))
    }
}
