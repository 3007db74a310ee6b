/// An open connection, as the control API reports it.
package struct ConnectionReport: Codable, Hashable, Sendable {
    package var id: Int
    /// The name of its listener.
    package var listener: String
    /// The client's address and port; nil when the system does not know it any more.
    package var peer: String?
    /// Number of open streams.
    package var streams: Int
    /// The announced limit of concurrent streams.
    package var streamLimit: Int
    /// Number of streams opened so far, including refused ones.
    package var opened: Int
    /// The key and the team that the connection is bound to; nil before the first accepted request.
    package var keyID: String?
    package var teamID: String?
    /// The base topic of the client's certificate.
    package var certificateTopic: String?
    /// Whether a fault stopped it from answering.
    package var isStalled: Bool
    /// Whether GOAWAY was sent.
    package var isClosing: Bool
}

extension PushConnection {
    /// The report of the connection; nil before its handshake is complete and after its end.
    ///
    /// Must be called on the connection's event loop.
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
