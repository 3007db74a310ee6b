package import Carillon
import CarillonCalls
import CarillonModel
import CarillonServiceExtension
package import Foundation
package import PushKit
import UIKit
package import UserNotifications

/// A simulated iPhone with one app: Apple's simulated frameworks, the real SDK, its service extension, and a screen.
///
/// Unchecked: `lock` protects `screen`; everything else is safe by itself or immutable.
package final class SimulatedPhone: @unchecked Sendable {
    package let system: SimulatedSystem
    private let setup: Setup
    private let folder: URL
    private let lock = NSLock()
    private var shownScreen = Screen()

    /// Makes a phone, with the app installed and not yet launched.
    ///
    /// - Parameters:
    ///   - setup: The configuration.
    ///   - folder: The phone's own folder, which is made if there is none.
    /// - Throws: Any error when the folder cannot be made.
    package init(_ setup: Setup, folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var setup = setup
        setup.configuration.storage = folder
        var traits = setup.traits
        traits.systemVersion = setup.profile.systemVersion
        traits.attachmentStore = folder
        self.setup = setup
        self.folder = folder
        let time = setup.time
        system = SimulatedSystem(
            traits: traits,
            now: { time.now().date },
            sleep: { try await time.sleep(seconds: $0) }
        )
        if let callToken = setup.callToken { system.part(SimulatedTelephone.self).give(callToken) }
        let token = setup.deviceToken
        system.token = { token }
        // Made once here, so that an invalid configuration is found before the first launch.
        _ = try setup.client()
        system.install { [setup] in
            guard let client = try? setup.client() else {
                preconditionFailure("the same configuration has made a client before")
            }
            let app = PhoneApp(client: client, onLaunch: setup.onLaunch)
            app.carillon.notificationOptions.foreground = setup.showsInFront
            if setup.callToken != nil { app.voIP.start() }
            return app
        }
        system.makeExtension = { [setup, folder] in
            let serviceExtension = PhoneServiceExtension()
            serviceExtension.parts = setup.extensionParts(in: folder)
            return serviceExtension
        }
    }

    /// The screen.
    package var screen: Screen { lock.withLock { shownScreen } }

    /// The running app; `nil` when it does not run.
    @MainActor package var app: PhoneApp? { system.appDelegate as? PhoneApp }

    /// Launches the app, gives permission, registers, and sends the app to the background.
    ///
    /// - Parameters:
    ///   - consent: The person's consent.
    ///   - user: The user.
    /// - Returns: The registration that the server confirmed.
    /// - Throws: ``CarillonError`` when the registration failed.
    @discardableResult
    package func register(
        consent: Consent = Consent(notifications: true, ads: true, nightAds: true),
        user: UserID? = nil
    ) async throws -> CarillonClient.Registered {
        await system.openApp()
        defer { system.leaveApp() }
        return try await inside { phone in
            guard let app = await phone.app else { throw CancellationError() }
            return try await app.carillon.register(consent: consent, user: user)
        }
    }

    /// Launches the app, and lets it register even without permission.
    package func registerAlways() async {
        await system.openApp()
        await MainActor.run { app?.carillon.alwaysRegisters = true }
    }

    /// Receives a push, as from Apple.
    ///
    /// - Parameter push: The push.
    /// - Returns: What happened to it.
    package func receive(_ push: SimulatedPush) async -> SimulatedArrival {
        let arrival = await system.receive(push)
        guard arrival.presentation != .hidden else { return arrival }
        lock.withLock {
            _ = shownScreen.show(arrival.identifier, of: Self.occurrence(of: push), alerts: arrival.alerted)
        }
        return arrival
    }

    /// Receives a VoIP push, as from Apple; the app is launched if it does not run.
    ///
    /// - Parameter payload: The whole payload: a JSON object.
    /// - Returns: Whether the app reported a call.
    @discardableResult
    package func receiveCall(_ payload: Data) async -> Bool { await system.receiveCall(payload) }

    /// The calls that were reported, oldest first.
    package var calls: [SimulatedTelephone.Call] { system.part(SimulatedTelephone.self).calls }

    /// Makes the person do something with a visible notification, and sends the app to the background again.
    ///
    /// - Parameters:
    ///   - gesture: The gesture.
    ///   - identifier: The notification's identifier.
    /// - Returns: Whether the app was notified.
    @discardableResult
    package func respond(_ gesture: SimulatedSystem.Gesture, to identifier: String) async -> Bool {
        let isTold = await system.respond(gesture, to: identifier)
        lock.withLock { shownScreen.remove(identifier) }
        system.leaveApp()
        return isTold
    }

    /// Runs code within the phone.
    package func inside<Result>(
        _ body: @Sendable (SimulatedPhone) async throws -> Result
    ) async rethrows -> Result where Result: Sendable {
        try await SimulatedSystem.$current.withValue(system) { try await body(self) }
    }

    /// How many events wait on the phone.
    package func waitingEventCount() async -> Int {
        guard let client = await app?.carillon.client else { return 0 }
        return await client.waitingEventCount
    }

    /// Uploads waiting events.
    package func flush() async {
        _ = await app?.carillon.client.flush()
    }

    /// Restarts the phone: until ``unlockFirst()`` the app's files cannot be read, although a call may launch the app.
    ///
    /// - Throws: Any error when a file cannot be taken away.
    package func restart() async throws {
        await switchOff()
        system.isLocked = true
        try ProtectedFiles(folder: folder).protect()
    }

    /// Unlocks the phone for the first time after its restart.
    ///
    /// - Throws: Any error when a file cannot be given back.
    package func unlockFirst() throws {
        try ProtectedFiles(folder: folder).unprotect()
        system.isLocked = false
    }

    /// Ends the app; everything on disk stays.
    package func switchOff() async {
        await inside { phone in await phone.app?.carillon.stop() }
        system.killApp()
    }

    // MARK: - Private

    private static func occurrence(of push: SimulatedPush) -> String {
        let object = try? JSONSerialization.jsonObject(with: push.payload) as? [String: Any]
        return (object?[PayloadKey.carillon] as? [String: Any])?[PayloadKey.occurrence] as? String ?? ""
    }
}
