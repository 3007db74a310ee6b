package import Foundation

/// Waits for an operation until a deadline; an operation that is late goes on without its caller.
///
/// Operations end by themselves: each request has its own time limit.
///
/// - Parameters:
///   - seconds: The longest wait.
///   - time: The clock.
///   - operation: The operation.
/// - Returns: The operation's result.
/// - Throws: ``CarillonError`` of the operation, or `deadlineExceeded` or `cancelled`.
package func withDeadline<Value: Sendable>(
    of seconds: TimeInterval,
    _ time: any TimeSource,
    _ operation: @escaping @Sendable () async throws(CarillonError) -> Value
) async throws(CarillonError) -> Value {
    let end = OneShot<Result<Void, CarillonError>>()
    let work = Task { () -> Result<Value, CarillonError> in
        defer { end.complete(.success(())) }
        do throws(CarillonError) {
            return .success(try await operation())
        } catch {
            return .failure(error)
        }
    }
    try await wait(for: end, atMost: seconds, time) { work.cancel() }
    return try await work.value.get()
}

/// Waits for an operation's end, its deadline or its cancellation, whichever is first; the same for every type of result.
private func wait(
    for end: OneShot<Result<Void, CarillonError>>,
    atMost seconds: TimeInterval,
    _ time: any TimeSource,
    cancel: @escaping @Sendable () -> Void
) async throws(CarillonError) {
    let watch = Task {
        try await time.sleep(seconds: seconds)
        end.complete(.failure(.deadlineExceeded))
    }
    let result = await withTaskCancellationHandler {
        await end.wait()
    } onCancel: {
        end.complete(.failure(.cancelled))
        cancel()
    }
    watch.cancel()
    try result.get()
}
