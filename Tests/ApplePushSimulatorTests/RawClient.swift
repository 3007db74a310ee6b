import ApplePushSimulator
import NIOCore
import NIOPosix
import NIOSSL

/// One HTTP/2 frame.
struct Frame: Equatable, Sendable {
    enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case priority = 2
        case reset = 3
        case settings = 4
        case ping = 6
        case goAway = 7
        case windowUpdate = 8
        case continuation = 9
    }

    var kind: UInt8
    var flags: UInt8
    var stream: Int32
    var payload: [UInt8]

    init(_ kind: Kind, flags: UInt8 = 0, stream: Int32 = 0, payload: [UInt8] = []) {
        self.init(kind: kind.rawValue, flags: flags, stream: stream, payload: payload)
    }

    init(kind: UInt8, flags: UInt8, stream: Int32, payload: [UInt8]) {
        self.kind = kind
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    func `is`(_ kind: Kind) -> Bool {
        self.kind == kind.rawValue
    }

    var bytes: [UInt8] {
        [UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 255), UInt8(payload.count & 255), kind, flags]
            + (0..<4).map { UInt8(truncatingIfNeeded: stream >> (24 - 8 * $0)) } + payload
    }

    /// A number of four bytes in the payload.
    func number(at offset: Int) -> UInt32 {
        payload[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// A client that writes frames one by one, for what no proper client would do.
enum RawClient {
    /// The two directions of a connection.
    struct Connection {
        var outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
        var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private var pending: [UInt8] = []

        fileprivate init(
            outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
            inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        ) {
            self.outbound = outbound
            self.inbound = inbound
        }

        /// Sends frames in one write.
        func send(_ frames: [Frame]) async throws {
            try await outbound.write(ByteBuffer(bytes: frames.flatMap(\.bytes)))
        }

        /// The next frame; nil at the end of the connection.
        mutating func next() async throws -> Frame? {
            while true {
                if let frame = removeFrame() {
                    return frame
                }
                guard let more = try await inbound.next() else { return nil }
                pending += more.readableBytesView
            }
        }

        /// Reads frames up to and including the first that meets a condition, or all there will be.
        mutating func frames(until isLast: (Frame) -> Bool) async throws -> [Frame] {
            var frames: [Frame] = []
            while let frame = try await next() {
                frames.append(frame)
                if isLast(frame) {
                    break
                }
            }
            return frames
        }

        /// All frames until the connection ends, in whatever way.
        mutating func rest() async -> [Frame] {
            var frames: [Frame] = []
            do {
                while let frame = try await next() {
                    frames.append(frame)
                }
            } catch {
                // A connection that was cut ends with an error.
            }
            return frames
        }

        private mutating func removeFrame() -> Frame? {
            guard pending.count >= 9 else { return nil }
            let length = Int(pending[0]) << 16 | Int(pending[1]) << 8 | Int(pending[2])
            guard pending.count >= 9 + length else { return nil }
            defer { pending.removeFirst(9 + length) }
            return Frame(
                kind: pending[3],
                flags: pending[4],
                stream: pending[5..<9].reduce(0) { $0 << 8 | Int32($1) },
                payload: Array(pending[9..<9 + length])
            )
        }
    }

    /// Connects, sends the preface and empty SETTINGS with the first frames, and runs the body.
    static func connect(
        to fixture: SimulatorFixture,
        sending first: [Frame] = [],
        certificate: ClientCertificate? = nil,
        body: (inout Connection) async throws -> Void
    ) async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = ["h2"]
        configuration.trustRoots = .certificates(
            try NIOSSLCertificate.fromPEMBytes(Array(fixture.simulator.certificateAuthorityPEM.utf8))
        )
        if let certificate {
            let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.certificatePEM.utf8))
            let key = try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM.utf8), format: .pem)
            configuration.certificateChain = chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(key)
        }
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .connect(host: fixture.addresses.host, port: fixture.addresses.port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: "localhost")
                    )
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            var connection = Connection(outbound: outbound, inbound: inbound.makeAsyncIterator())
            let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Frame(.settings).bytes
            do {
                try await outbound.write(ByteBuffer(bytes: preface + first.flatMap(\.bytes)))
            } catch  where certificate != nil {
                // A server that does not like the certificate may have left already.
            }
            try await body(&connection)
        }
    }
}

extension Frame {
    /// A header block of literals, some of which enter the dynamic table (RFC 7541, 6.2.1 and 6.2.2).
    static func block(_ fields: [(name: String, value: String)], indexing names: Set<String> = []) -> [UInt8] {
        fields.flatMap { [names.contains($0.name) ? 0x40 : 0] + text($0.name) + text($0.value) }
    }

    /// The two frames of a notification.
    static func push(
        _ stream: Int32,
        fields: [(name: String, value: String)],
        body: String = GatewayFixture.alert
    ) -> [Frame] {
        [
            Frame(.headers, flags: 4, stream: stream, payload: block(fields)),
            Frame(.data, flags: 1, stream: stream, payload: Array(body.utf8)),
        ]
    }

    /// A string with its length in a prefix of seven bits (RFC 7541, 5.1 and 5.2).
    private static func text(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var length: [UInt8] = [127]
        var rest = bytes.count - 127
        while rest >= 128 {
            length.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        return length + [UInt8(rest)] + bytes
    }
}

extension SimulatorFixture {
    /// The fields of a request that is in order.
    func headers(token: String = GatewayFixture.token) -> [(name: String, value: String)] {
        [
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"), (":path", "/3/device/\(token)"),
            ("authorization", "bearer \(providerToken)"), ("apns-topic", "com.example.app"),
            ("apns-push-type", "alert"),
        ]
    }
}
