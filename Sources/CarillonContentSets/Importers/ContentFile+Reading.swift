import Dispatch
import NIOConcurrencyHelpers

extension ContentFile {
    /// Files take seconds to read: they have threads of their own, so that no request waits for them.
    private static let queue = DispatchQueue(label: "carillon.content.files", qos: .utility, attributes: .concurrent)

    /// Reads a file apart from the tasks of requests; see ``init(_:_:for:table:limits:isStopped:)``.
    ///
    /// - Throws: ``ContentFileProblem``; `CancellationError` when the task is cancelled.
    static func reading(
        _ bytes: [UInt8],
        _ format: ContentFormat,
        for definition: ContentSetDefinition,
        table: String?,
        limits: Limits
    ) async throws -> ContentFile {
        let reading = FileReading()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard reading.begin(continuation) else { return }
                queue.async {
                    let result = Result { () throws(ContentFileProblem) in
                        try ContentFile(
                            bytes,
                            format,
                            for: definition,
                            table: table,
                            limits: limits,
                            isStopped: { reading.isStopped }
                        )
                    }
                    reading.end(result.mapError { $0 as any Error })
                }
            }
        } onCancel: {
            reading.stop()
        }
        return try result.get()
    }
}

/// A file that is read, and who waits for it: until it is read, or nobody wants it any more.
private final class FileReading: Sendable {
    typealias Outcome = Result<ContentFile, any Error>

    private struct State {
        var waiter: CheckedContinuation<Outcome, Never>?
        var isStopped = false
    }

    private let state = NIOLockedValueBox(State())

    var isStopped: Bool { state.withLockedValue { $0.isStopped } }

    /// - Returns: False when it was stopped before; then nobody waits.
    func begin(_ waiter: CheckedContinuation<Outcome, Never>) -> Bool {
        let isStopped = state.withLockedValue { state in
            if !state.isStopped { state.waiter = waiter }
            return state.isStopped
        }
        if isStopped { waiter.resume(returning: .failure(CancellationError())) }
        return !isStopped
    }

    func end(_ outcome: Outcome) { remove()?.resume(returning: outcome) }

    /// Nobody waits any longer; the thread ends at the next record.
    func stop() { remove(isStopped: true)?.resume(returning: .failure(CancellationError())) }

    private func remove(isStopped: Bool = false) -> CheckedContinuation<Outcome, Never>? {
        state.withLockedValue { state in
            if isStopped { state.isStopped = true }
            defer { state.waiter = nil }
            return state.waiter
        }
    }
}
