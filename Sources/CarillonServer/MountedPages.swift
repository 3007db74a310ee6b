package import Hummingbird

/// Pages below a prefix, beside the API: they have their own header fields, sessions and errors.
///
/// The composition root joins them with the server, so that neither knows the other.
package struct MountedPages: Sendable {
    /// What the server knows about who sends a request.
    package struct Caller: Hashable, Sendable {
        /// The caller's address, behind trusted proxies too.
        package let address: String
        /// What attempts are counted by: an IPv4 address or an IPv6 /64 block.
        package let network: String
        /// The other end of the connection: the caller's own address, or that of the last proxy.
        package let peer: String
        /// Whether the request came over TLS, to this server or to a trusted proxy.
        package let isEncrypted: Bool
        /// The request's id, which the log has.
        package let requestID: String
    }

    /// A response, and the route that gave it; `nil` for an unknown path.
    package typealias Answer = (response: Response, route: String?)

    let isOne: @Sendable (_ path: String) -> Bool
    let answer: @Sendable (Request, Caller) async -> Answer

    /// Mounts pages.
    ///
    /// - Parameters:
    ///   - isOne: Whether a path is one of theirs.
    ///   - answer: Answers their requests.
    package init(
        isOne: @escaping @Sendable (_ path: String) -> Bool,
        answer: @escaping @Sendable (Request, Caller) async -> Answer
    ) {
        self.isOne = isOne
        self.answer = answer
    }
}
