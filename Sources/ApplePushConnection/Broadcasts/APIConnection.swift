import NIOConcurrencyHelpers
package import NIOCore
import NIOHTTP2
package import NIOSSL

/// One HTTP/2 connection on swift-nio-http2, for few requests that may have long answers.
///
/// Requests may be added at once: they wait for the server's SETTINGS, which limit the number of streams.
package final class APIConnection: Sendable {
    /// Why a connection could not be made.
    package enum Problem: Error, Hashable, Sendable {
        /// No TCP connection.
        case unreachable(String)
        /// The proxy refused the tunnel.
        case proxy(String)
        /// TLS failed.
        case tls(String)
        /// ALPN selected another protocol than `h2`, or none.
        case notHTTP2(String?)
        /// The server closed the connection before its SETTINGS.
        case noSettings(ConnectionClosure)
        /// The timeout passed.
        case timedOut
    }

    /// The server's settings.
    package struct Welcome: Hashable, Sendable {
        /// `SETTINGS_MAX_CONCURRENT_STREAMS`; `nil` for no limit.
        package var maximumStreams: Int?
        /// The negotiated version of TLS.
        package var tlsVersion: TLSVersion?
    }

    private let eventLoop: any EventLoop
    /// Empty until the event loop has created it, in its first task.
    private let core: NIOLoopBoundBox<APIConnectionCore?>
    private let welcome: EventLoopFuture<Welcome>
    private let latestClosure: NIOLockedValueBox<ConnectionClosure?>

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - route: The server and proxy. Its timeout applies to TCP, to the proxy's tunnel, and to the time until the
    ///     server's SETTINGS.
    ///   - tls: With `h2` as the only protocol.
    ///   - eventLoop: The connection's event loop.
    package init(
        _ route: APIRoute,
        tls: NIOSSLContext,
        on eventLoop: any EventLoop
    ) {
        self.eventLoop = eventLoop
        let latestClosure = NIOLockedValueBox<ConnectionClosure?>(nil)
        self.latestClosure = latestClosure
        let promise = eventLoop.makePromise(of: Welcome.self)
        welcome = promise.futureResult
        core = .makeEmptyBox(eventLoop: eventLoop)
        let core = core
        eventLoop.execute {
            let made = APIConnectionCore(route.endpoint, welcome: promise) { closure in
                latestClosure.withLockedValue { $0 = $0 ?? closure }
            }
            core.value = made
            made.connect(route, tls: tls, on: eventLoop)
        }
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - deadline: When to stop waiting, for a stream or for the answer.
    /// - Returns: The outcome. Cancelling the task ends the wait.
    package func perform(_ request: APIRequest, deadline: NIODeadline) async -> APIOutcome {
        let promise = eventLoop.makePromise(of: APIOutcome.self)
        let core = core
        let eventLoop = eventLoop
        return await withTaskCancellationHandler {
            eventLoop.execute {
                let call = APICall(request, promise: promise)
                call.giveUp(at: deadline, on: eventLoop)
                core.value?.accept(call)
            }
            if Task.isCancelled { eventLoop.execute { core.value?.cancel(promise.futureResult) } }
            // The promise is succeeded and never failed, so `get` does not throw.
            return (try? await promise.futureResult.get()) ?? .unknown(.connectionLost)
        } onCancel: {
            eventLoop.execute { core.value?.cancel(promise.futureResult) }
        }
    }

    /// Waits for the server's SETTINGS.
    ///
    /// - Throws: ``Problem``.
    package func ready() async throws(Problem) -> Welcome {
        do {
            return try await welcome.get()
        } catch {
            throw error as? Problem ?? .unreachable(String(describing: error))
        }
    }

    /// Why it accepts no more requests; `nil` while it does.
    package var closure: ConnectionClosure? { latestClosure.withLockedValue { $0 } }

    /// Accepts no more requests, and closes when those in flight have ended.
    package func drain() {
        let core = core
        eventLoop.execute { core.value?.end(ConnectionClosure(.drained)) }
    }
}
