import Hummingbird
import Logging
import NIOCore

/// What a request carries beside itself.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection; `nil` when there is no socket, as in tests of the router.
    let peer: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
    }

    /// The request's id in the log; a log that keeps nothing has none.
    var requestID: String { logger[metadataKey: "hb.request.id"]?.description ?? "none" }
}
