import Carillon
public import Foundation
import SimulatorFeed
public import UIKit
import UserNotifications

// MARK: - A running server

extension TestKitPhone {
    /// Why no push came from the APNs simulator.
    public struct FeedFailure: Error, Hashable, CustomStringConvertible {
        /// What happened.
        public let description: String
    }

    /// Makes a phone of a running server (`carillon serve`) that sends to a running APNs simulator (`carillon simulate apns`).
    ///
    /// Address and App key go into both Info.plists, the tokens come from the simulator, and ``receiveNext(within:)`` takes
    /// the phone's pushes from it.
    ///
    /// - Parameters:
    ///   - server: The server's address, as `http://127.0.0.1:8080`.
    ///   - appKey: The App's key.
    ///   - simulator: The address of the simulator's control API, as `http://127.0.0.1:2198`.
    ///   - topic: The App's bundle id.
    ///   - setup: The rest of the phone's configuration.
    ///   - app: Makes the app's delegate; called at each launch.
    /// - Throws: Any error when the simulator does not answer, or the phone's folder cannot be made.
    public convenience init(
        server: URL,
        appKey: String,
        simulator: URL,
        topic: String,
        setup: Setup = Setup(),
        app: @escaping @MainActor @Sendable () -> any UIApplicationDelegate
    ) async throws {
        let feed = try await TestKitFeed(SimulatorControl(url: simulator), topic: topic)
        var setup = setup
        let keys = Setup.keys(server, appKey)
        setup.info.merge(keys) { $1 }
        setup.extensionInfo.merge(keys) { $1 }
        setup.deviceToken = feed.deviceToken
        setup.callToken = feed.callToken
        try self.init(transport: URLSessionTransport(), setup, feed: feed, app)
    }

    /// Receives the next push that the APNs simulator delivers to this phone, be it a notification, a silent push or a call.
    ///
    /// - Parameter seconds: The longest wait.
    /// - Returns: The notification's identifier when it is shown; `nil` when nothing is, as for a call.
    /// - Throws: ``FeedFailure`` when none comes in time, when the simulator has stopped, and on a phone without one.
    @discardableResult
    public func receiveNext(within seconds: Double = 30) async throws -> String? {
        guard let feed else { throw FeedFailure(description: "this phone has no APNs simulator") }
        let line = try await feed.next(within: seconds)
        guard !feed.isCall(line) else {
            await receiveCall(line.payload)
            return nil
        }
        return await receive(line.payload, collapseID: line.collapseID)
    }
}
