import Foundation

/// Waits for an operation, but no longer than a deadline; an operation that is late goes on without its caller.
///
/// Whatever is handed in ends by itself: each request has its own time limit.
///
/// - Parameters:
///   - seconds: How long to wait at most.
///   - time: Tells when they are over.
///   - operation: What to wait for.
/// - Returns: What the operation returned.
/// - Throws: ``CarillonError`` of the operation, or `deadlineExceeded` or `cancelled`.
func withDeadline<Value: Sendable>(
    of seconds: TimeInterval,
    _ time: any TimeSource,
    _ operation: @escaping @Sendable () async throws(CarillonError) -> Value
) async throws(CarillonError) -> Value {
    let outcome = OneShot<Result<Value, CarillonError>>()
    let work = Task {
        do throws(CarillonError) {
            outcome.give(.success(try await operation()))
        } catch {
            outcome.give(.failure(error))
        }
    }
    let watch = Task {
        try await time.sleep(seconds: seconds)
        outcome.give(.failure(.deadlineExceeded))
    }
    let result = await withTaskCancellationHandler {
        await outcome.wait()
    } onCancel: {
        outcome.give(.failure(.cancelled))
        work.cancel()
    }
    watch.cancel()
    return try result.get()
}
