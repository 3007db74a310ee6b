/// How a listener treats its connections, independent of requests.
package struct ConnectionRules: Hashable, Sendable {
    /// What happens to a stream above the limit.
    package enum Refusal: String, CaseIterable, Codable, Sendable {
        /// The stream is reset with REFUSED_STREAM; the connection stays usable.
        case reset
        /// GOAWAY with REFUSED_STREAM ends the connection, as Apple did in 2016.
        case goAway = "goaway"
    }

    /// Limit of concurrent streams of a connection without a certificate until its first accepted request.
    ///
    /// Apple: 1.
    package var initialStreamLimit: UInt32 = 1
    /// Limit of concurrent streams after that, 1 through 1,000,000.
    ///
    /// Apple, at present: 1000.
    package var streamLimit: UInt32 = 1000
    /// What happens to a stream above the limit.
    package var refusal = Refusal.reset
    /// How many streams above the limit a connection may open before GOAWAY ends it; nil for any number.
    package var refusalsBeforeGoAway: Int? = 10_000
    /// Whether the limit falls to one after a rejection, until the next acceptance (open point U-5).
    ///
    /// Streams in flight above it are reset with REFUSED_STREAM.
    package var dropsLimitAfterRejection = false
    /// How many requests a connection may send before GOAWAY ends it (U-13); nil for any number.
    package var requestLimit: Int?
    /// After how long without a frame from the client GOAWAY `IdleTimeout` ends a connection; nil for never.
    package var idleTimeout: Duration?
    /// Delay of WINDOW_UPDATE for bodies; nil for none.
    ///
    /// A client that obeys the window then stalls after 65,535 bytes.
    package var windowDelay: Duration?
    /// Delay of the TLS handshake; nil for none.
    package var handshakeDelay: Duration?
    /// Delay of everything that a client sends, including the handshake; nil for none.
    ///
    /// So the round trip is longer by this, as if the client were far away.
    package var distance: Duration?

    package init() {}
}

/// The content of a GOAWAY.
package struct Goodbye: Hashable, Sendable {
    /// The `reason` in the debug data; nil for empty debug data.
    package var reason: String?
    /// The HTTP/2 error code; 0 is NO_ERROR.
    package var errorCode: UInt32
    /// Number of GOAWAY frames in a row, 1 through 10.
    package var count: Int

    package init(reason: String? = "Shutdown", errorCode: UInt32 = 0, count: Int = 1) {
        self.reason = reason
        self.errorCode = errorCode
        self.count = count
    }
}

extension Goodbye {
    /// The debug data.
    var debug: [UInt8] {
        reason.map { Array("{\"reason\":\(JSONText.quoted($0))}".utf8) } ?? []
    }
}

/// An action on open connections.
package enum ConnectionAction: Hashable, Sendable {
    /// GOAWAY: open streams are answered, later ones are not processed, then the connection ends.
    case goAway(Goodbye)
    /// SETTINGS with another limit of concurrent streams, for authenticated connections and those that follow.
    case streamLimit(UInt32)
    /// All open streams are reset with this HTTP/2 error code.
    case resetStreams(UInt32)
    /// Nothing is read or answered for this long; nil for ever, like a network that drops all packets.
    case stall(Duration?)
    /// The connection is closed without a TLS close notification.
    case cut
}

/// The connections of an action.
package enum ConnectionChoice: Hashable, Sendable {
    case all
    /// Those of the listener with this name.
    case listener(String)
    /// The one with this id.
    case connection(Int)
}
