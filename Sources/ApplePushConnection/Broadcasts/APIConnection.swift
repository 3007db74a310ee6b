import NIOConcurrencyHelpers
package import NIOCore
import NIOHTTP2
package import NIOSSL

/// One HTTP/2 connection for requests that are few and may have long answers; swift-nio-http2 speaks the protocol.
///
/// Requests may be given to it at once: they wait until the other side's SETTINGS say how many streams there may be.
package final class APIConnection: Sendable {
    /// Why a connection did not come about, by how far it got.
    package enum Problem: Error, Hashable, Sendable {
        /// No TCP connection.
        case unreachable(String)
        /// The proxy made no tunnel.
        case proxy(String)
        /// TLS failed.
        case tls(String)
        /// The other side agreed on another protocol than `h2`, or on none.
        case notHTTP2(String?)
        /// The other side ended the connection before its SETTINGS.
        case noSettings(ConnectionClosure)
        /// It took too long.
        case timedOut
    }

    /// What the other side said when the connection was made.
    package struct Welcome: Hashable, Sendable {
        /// `SETTINGS_MAX_CONCURRENT_STREAMS`; `nil` for no limit.
        package var maximumStreams: Int?
        /// Which version of TLS was agreed upon.
        package var tlsVersion: TLSVersion?
    }

    private let eventLoop: any EventLoop
    /// Empty until the event loop has made it, which is the first thing that this class asks of the loop.
    private let core: NIOLoopBoundBox<APIConnectionCore?>
    private let welcome: EventLoopFuture<Welcome>
    private let latestClosure: NIOLockedValueBox<ConnectionClosure?>

    /// Begins to connect.
    ///
    /// - Parameters:
    ///   - route: Where to. Until the other side's SETTINGS are there, it may take as long as TCP alone, and as long again
    ///     through a proxy.
    ///   - tls: With `h2` as the only protocol.
    ///   - eventLoop: Where the connection lives.
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
    ///   - deadline: When to stop waiting, for a stream as well as for the answer.
    /// - Returns: What became of it. Cancelling the task ends the wait.
    package func perform(_ request: APIRequest, deadline: NIODeadline) async -> APIOutcome {
        let promise = eventLoop.makePromise(of: APIOutcome.self)
        let core = core
        let eventLoop = eventLoop
        return await withTaskCancellationHandler {
            eventLoop.execute {
                let call = APICall(request, promise: promise)
                call.giveUp(at: deadline, on: eventLoop)
                core.value?.take(call)
            }
            if Task.isCancelled { eventLoop.execute { core.value?.cancel(promise.futureResult) } }
            // The promise is succeeded and never failed, so `get` does not throw.
            return (try? await promise.futureResult.get()) ?? .unknown(.connectionLost)
        } onCancel: {
            eventLoop.execute { core.value?.cancel(promise.futureResult) }
        }
    }

    /// Waits until the other side has said what it permits.
    ///
    /// - Throws: ``Problem``.
    package func ready() async throws(Problem) -> Welcome {
        do {
            return try await welcome.get()
        } catch {
            throw error as? Problem ?? .unreachable(String(describing: error))
        }
    }

    /// Why it takes no more requests; `nil` while it does.
    package var closure: ConnectionClosure? { latestClosure.withLockedValue { $0 } }

    /// Takes no more requests, and closes when those under way have ended.
    package func drain() {
        let core = core
        eventLoop.execute { core.value?.end(ConnectionClosure(.drained)) }
    }
}
