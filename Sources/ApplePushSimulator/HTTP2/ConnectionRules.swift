/// How a listener treats its connections, whatever is asked on them.
package struct ConnectionRules: Hashable, Sendable {
    /// What happens to a stream above the limit.
    package enum Refusal: String, CaseIterable, Codable, Sendable {
        /// The stream is reset with REFUSED_STREAM; the connection stays good.
        case reset
        /// GOAWAY with REFUSED_STREAM ends the connection, as Apple did in 2016.
        case goAway = "goaway"
    }

    /// How many streams a connection without a certificate may have open until a request on it was let in.
    ///
    /// Apple: 1.
    package var initialStreamLimit: UInt32 = 1
    /// How many streams a connection may have open after that, 1 through 1,000,000.
    ///
    /// Apple, at present: 1000.
    package var streamLimit: UInt32 = 1000
    /// What happens to a stream above the limit.
    package var refusal = Refusal.reset
    /// How many streams above the limit a connection may try before GOAWAY ends it; nil: without end.
    package var refusalsBeforeGoAway: Int? = 10_000
    /// Whether the limit falls to one after a rejection, until the next acceptance (U-5 of what is unsettled).
    ///
    /// Streams in flight above it are reset with REFUSED_STREAM.
    package var dropsLimitAfterRejection = false
    /// How many requests a connection may send before GOAWAY ends it (U-13); nil: without end.
    package var requestLimit: Int?
    /// After how long without a frame from the client GOAWAY `IdleTimeout` ends a connection; nil: never.
    package var idleTimeout: Duration?
    /// How late the window for bodies is opened again; nil: at once.
    ///
    /// A client that minds the window then stalls after 65,535 bytes.
    package var windowDelay: Duration?
    /// How late the TLS handshake begins; nil: at once.
    package var handshakeDelay: Duration?
    /// How late everything that a client sends arrives, handshake included; nil: at once.
    ///
    /// So the round trip is longer by this, as if the client were far away.
    package var distance: Duration?

    package init() {}
}

/// How a GOAWAY is said.
package struct Goodbye: Hashable, Sendable {
    /// What `{"reason":"…"}` in the debug data says; nil: the debug data is empty.
    package var reason: String?
    /// The HTTP/2 error code; 0: NO_ERROR.
    package var errorCode: UInt32
    /// How many GOAWAY frames come in a row, 1 through 10.
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

/// Something that is done to connections that are open, at once.
package enum ConnectionAction: Hashable, Sendable {
    /// GOAWAY: streams that are open are answered, later ones are not processed, then the connection ends.
    case goAway(Goodbye)
    /// SETTINGS with another limit of streams, for connections that were let in and for those still to be.
    case streamLimit(UInt32)
    /// All open streams are reset with this HTTP/2 error code.
    case resetStreams(UInt32)
    /// Nothing is read or answered for this long; nil: for ever, as a network that swallows everything does.
    case stall(Duration?)
    /// The connection ends below TLS, without a word.
    case cut
}

/// Which connections an action is for.
package enum ConnectionChoice: Hashable, Sendable {
    case all
    /// Those of one listener, by its name.
    case listener(String)
    /// One, by its id.
    case connection(Int)
}
