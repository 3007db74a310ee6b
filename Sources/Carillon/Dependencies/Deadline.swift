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
    let value = try await outcome(within: seconds, time) { () throws(CarillonError) in try await operation() }
    guard let value = value as? Value else { preconditionFailure("the value is the operation's") }
    return value
}

/// Waits for an operation's end, its deadline or its cancellation, whichever is first.
///
/// The same code for all types of results: a copy for each was once a large part of the SDK's bytes.
private func outcome(
    within seconds: TimeInterval,
    _ time: any TimeSource,
    of operation: @escaping @Sendable () async throws(CarillonError) -> any Sendable
) async throws(CarillonError) -> any Sendable {
    let end = OneShot<Result<any Sendable, CarillonError>>()
    let work = Task {
        do throws(CarillonError) {
            end.complete(.success(try await operation()))
        } catch {
            end.complete(.failure(error))
        }
    }
    let watch = Task {
        try await time.sleep(seconds: seconds)
        end.complete(.failure(.deadlineExceeded))
    }
    let result = await withTaskCancellationHandler {
        await end.wait()
    } onCancel: {
        end.complete(.failure(.cancelled))
        work.cancel()
    }
    watch.cancel()
    return try result.get()
}
