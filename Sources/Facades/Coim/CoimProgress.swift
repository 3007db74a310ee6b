import Foundation

/// The progress of an upload: rising percentages, each once, on the main thread in order.
///
/// Unchecked: `lock` protects `last` and the order.
final class CoimProgress: @unchecked Sendable {
    private let total: Int
    private let report: @MainActor @Sendable (Float) -> Void
    private let lock = NSLock()
    private var last: Float = -1
    private var queue: Task<Void, Never>?

    init(total: Int, report: @escaping @MainActor @Sendable (Float) -> Void) {
        self.total = max(total, 1)
        self.report = report
    }

    /// - Parameter bytes: How many bytes were sent so far.
    func sent(_ bytes: Int64) {
        let percentage = min(100, Float(max(0, bytes)) / Float(total) * 100)
        lock.lock()
        defer { lock.unlock() }
        guard percentage > last else { return }
        last = percentage
        let before = queue
        queue = Task { @MainActor [report] in
            await before?.value
            report(percentage)
        }
    }

    /// Reports the end, and waits until everything is reported.
    func finish() async {
        sent(Int64(total))
        await lastReport?.value
    }

    private var lastReport: Task<Void, Never>? {
        lock.lock()
        defer { lock.unlock() }
        return queue
    }
}
