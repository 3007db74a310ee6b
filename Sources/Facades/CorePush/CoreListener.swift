#if canImport(UIKit)
import Carillon
import Foundation

/// Records the pushes that Carillon's SDK receives, so that their launch can be reported by the vendor's id.
@MainActor
final class CoreListener: CarillonAppDelegate {
    private unowned let adapter: CorePushAdapter

    init(adapter: CorePushAdapter) { self.adapter = adapter }

    func carillon(_ app: CarillonApp, didReceive message: PushMessage) { adapter.record(message) }

    func carillon(_ app: CarillonApp, didOpen message: PushMessage) { adapter.record(message) }

    func carillon(_ app: CarillonApp, didPerform action: PushAction) { adapter.record(action.message) }

    /// With CORE PUSH the app opens links itself.
    func carillon(_ app: CarillonApp, shouldOpen link: URL, of message: PushMessage) -> Bool { false }
}
#endif
