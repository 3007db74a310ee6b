import Carillon
import Foundation
import UIKit

/// A delegate that wrote none of the methods.
@MainActor
final class SilentDelegate: CarillonAppDelegate {
    nonisolated init() {}
}

/// What apps were started with, and what they were told then.
///
/// Unchecked: `lock` protects everything.
final class Launches: @unchecked Sendable {
    private let lock = NSLock()
    private var known: [(PushMessage?, Heard)] = []
    private var delegates: [AnyObject] = []

    var messages: [PushMessage?] { lock.withLock { known.map(\.0) } }
    var heard: [Heard] { lock.withLock { known.map(\.1) } }

    @MainActor
    func add(_ carillon: CarillonApp, _ options: [UIApplication.LaunchOptionsKey: Any]?) {
        let heard = Heard()
        let delegate = HearingDelegate(heard, opensLinks: true)
        carillon.delegate = delegate
        lock.withLock {
            known.append((PushMessage(launchOptions: options), heard))
            delegates.append(delegate)
        }
    }
}
