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
    let outcome = OneShot<Result<Value, CarillonError>>()
    let work = Task {
        do throws(CarillonError) {
            outcome.complete(.success(try await operation()))
        } catch {
            outcome.complete(.failure(error))
        }
    }
    let watch = Task {
        try await time.sleep(seconds: seconds)
        outcome.complete(.failure(.deadlineExceeded))
    }
    let result = await withTaskCancellationHandler {
        await outcome.wait()
    } onCancel: {
        outcome.complete(.failure(.cancelled))
        work.cancel()
    }
    watch.cancel()
    return try result.get()
}
