package import Hummingbird
import NIOCore

/// The context of a request.
package struct ServerContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The peer's address; `nil` without a socket, as in tests of the router.
    let peer: SocketAddress?
    let requestID = RequestID()

    package init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
    }
}
