package import Hummingbird
import NIOCore

/// What a request carries beside itself.
package struct ServerContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The other end of the connection; `nil` when there is no socket, as in tests of the router.
    let peer: SocketAddress?
    let requestID = RequestID()

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
    }
}
