import Carillon
import Foundation
import PhoneSimulator

/// An app's delegate that writes down what it is told.
@MainActor
final class HearingDelegate: CarillonAppDelegate {
    let heard: Heard
    let opensLinks: Bool

    init(_ heard: Heard, opensLinks: Bool) {
        self.heard = heard
        self.opensLinks = opensLinks
    }

    func carillon(_ app: CarillonApp, didReceive message: PushMessage) { heard.write(.received(message)) }
    func carillon(_ app: CarillonApp, didOpen message: PushMessage) { heard.write(.opened(message)) }
    func carillon(_ app: CarillonApp, didPerform action: PushAction) { heard.write(.action(action)) }
    func carillon(_ app: CarillonApp, shouldOpen link: URL, of message: PushMessage) -> Bool { opensLinks }
}

/// What an app was told.
///
/// Unchecked: `lock` protects everything.
final class Heard: @unchecked Sendable {
    private let lock = NSLock()
    private var written: [CarillonAppEvent] = []
    private var delegate: AnyObject?

    var events: [CarillonAppEvent] { lock.withLock { written } }

    var received: [PushMessage] { events.compactMap { if case .received(let message) = $0 { message } else { nil } } }
    var opened: [PushMessage] { events.compactMap { if case .opened(let message) = $0 { message } else { nil } } }
    var actions: [PushAction] { events.compactMap { if case .action(let action) = $0 { action } else { nil } } }

    func write(_ event: CarillonAppEvent) { lock.withLock { written.append(event) } }

    @MainActor
    static func install(on phone: SimulatedPhone, opensLinks: Bool = true) -> Heard {
        let heard = Heard()
        let delegate = HearingDelegate(heard, opensLinks: opensLinks)
        heard.delegate = delegate
        phone.app?.carillon.delegate = delegate
        return heard
    }
}
