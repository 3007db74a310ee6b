import Foundation

/// Calls a completion handler once and on the main thread, when all parts are finished; a part may finish more than once.
///
/// UIKit works on a snapshot of the app when the handler is called, and aborts the app on another thread.
///
/// Unchecked: `lock` protects `missing` and `handler`.
final class JointCompletion: @unchecked Sendable {
    /// Who has to finish.
    enum Part: Equatable {
        case sdk, own, later
    }

    private let lock = NSLock()
    private var missing: Set<Part> = [.sdk, .own, .later]
    private var handler: (@Sendable () -> Void)?

    init(_ handler: @escaping @Sendable () -> Void) { self.handler = handler }

    func finish(_ part: Part) {
        lock.lock()
        missing.remove(part)
        let ready = missing.isEmpty ? handler : nil
        if ready != nil { handler = nil }
        lock.unlock()
        if let ready { MainThread.run(ready) }
    }
}
