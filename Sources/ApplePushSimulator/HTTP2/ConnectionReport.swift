/// One open connection, as those see it who look on.
package struct ConnectionReport: Codable, Hashable, Sendable {
    package var id: Int
    /// The name of the listener it came to.
    package var listener: String
    /// The client's address and port; nil when the system does not know it any more.
    package var peer: String?
    /// Streams that are open now.
    package var streams: Int
    /// How many streams the client was told it may have open.
    package var streamLimit: Int
    /// Streams that were opened so far, those refused included.
    package var opened: Int
    /// The key and the team that the connection is bound to; nil before a request was let in.
    package var keyID: String?
    package var teamID: String?
    /// The base topic of the certificate that the client showed.
    package var certificateTopic: String?
    /// Whether it answers nothing any more, by a fault.
    package var isStalled: Bool
    /// Whether a goodbye was said.
    package var isClosing: Bool
}

extension PushConnection {
    /// What is to be told about the connection; nil before its handshake is over and after its end.
    ///
    /// To be called on the connection's event loop.
    var report: ConnectionReport? {
        guard let session else { return nil }
        return ConnectionReport(
            id: id,
            listener: core.configuration.listeners[state.listener].name,
            peer: peer,
            streams: session.openStreams,
            streamLimit: Int(session.streamLimit),
            // A client's streams have odd numbers (RFC 9113, section 5.1.1).
            opened: (Int(session.lastOpened) + 1) / 2,
            keyID: state.boundKey?.keyID,
            teamID: state.boundKey?.teamID,
            certificateTopic: state.certificate?.baseTopic,
            isStalled: isStalled || isPaused,
            isClosing: isClosing
        )
    }
}
