import Carillon
import CoreLocation
import FacadeSupport
public import Foundation
import PushKit
import UIKit
import UserNotifications

// MARK: - What the person and the system do

extension TestKitPhone {
    /// What the person does with a notification.
    public enum Gesture: Sendable {
        /// Taps it.
        case tap
        /// Dismisses it.
        case dismiss
        /// Presses a button, and types a text if it has a text field.
        case press(String, reply: String? = nil)
    }

    /// Runs code within the phone.
    ///
    /// - Parameter body: The code.
    /// - Returns: Its result.
    public func run<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
        let installation = Self.installation(setup, server, folder, isExtension: false)
        return try await SimulatedInstallation.$current.withValue(installation) {
            try await FacadeDependencies.$current.withValue(dependencies) {
                try await SimulatedSystem.$current.withValue(system) { try await body() }
            }
        }
    }

    /// The app does not run, or has another delegate.
    public struct AppNotRunning: Error, Hashable {}

    /// Runs code with the running app's delegate, within the phone.
    ///
    /// - Parameters:
    ///   - type: The delegate's class.
    ///   - body: The code.
    /// - Returns: Its result.
    /// - Throws: ``AppNotRunning``, or what the code throws.
    public func withApp<Delegate: AnyObject, Result: Sendable>(
        _ type: Delegate.Type = Delegate.self,
        _ body: @MainActor @Sendable (Delegate) async throws -> Result
    ) async throws -> Result {
        try await run { [system] in
            guard let delegate = system.appDelegate as? Delegate else { throw AppNotRunning() }
            return try await body(delegate)
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

    /// Receives a push, as from Apple: one with a text, or a silent one (`content-available`), which wakes the app.
    ///
    /// - Parameter payload: The payload; `nil`: none.
    /// - Returns: The notification's identifier when it is shown; `nil` when nothing is, as for a silent one.
    @discardableResult
    public func receive(_ payload: Data?) async -> String? { await receive(payload, collapseID: nil) }

    func receive(_ payload: Data?, collapseID: String?) async -> String? {
        guard let payload else { return nil }
        beginProcess()
        let push = SimulatedPush(payload: payload, collapseID: collapseID)
        let arrival = await run { [system] in await system.receive(push) }
        return arrival.presentation == .hidden ? nil : arrival.identifier
    }

    /// Sets where the phone is.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north, -90 through 90.
    ///   - longitude: Degrees east, -180 through 180.
    public func setLocation(latitude: Double, longitude: Double) {
        system.part(SimulatedCompass.self).put(latitude: latitude, longitude: longitude, at: setup.time.now().date)
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

    /// A notification on the screen.
    public struct ShownNotification: Hashable, Sendable, Identifiable {
        /// Its identifier, for ``TestKitPhone/respond(_:to:)``.
        public let id: String
        /// Its title; empty without one.
        public let title: String
        /// Its text; empty without one.
        public let body: String
    }

    /// The notifications on the screen, oldest first.
    public var notifications: [ShownNotification] {
        system.visible.map { shown in
            let content = shown.request.content
            return ShownNotification(id: shown.request.identifier, title: content.title, body: content.body)
        }
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
