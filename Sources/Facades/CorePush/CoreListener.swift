import Carillon
import Foundation

/// Keeps the pushes that Carillon's SDK sees, so that their launch can be reported by the vendor's id.
@MainActor
final class CoreListener: CarillonAppDelegate {
    private unowned let room: CoreRoom

    init(room: CoreRoom) { self.room = room }

    func carillon(_ app: CarillonApp, didReceive message: PushMessage) { room.remember(message) }

    func carillon(_ app: CarillonApp, didOpen message: PushMessage) { room.remember(message) }

    func carillon(_ app: CarillonApp, didPerform action: PushAction) { room.remember(action.message) }

    /// With CORE PUSH the app shows what a link leads to.
    func carillon(_ app: CarillonApp, shouldOpen link: URL, of message: PushMessage) -> Bool { false }
}
