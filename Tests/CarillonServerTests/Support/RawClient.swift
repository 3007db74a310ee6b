import NIOCore
import NIOPosix

/// Sends bytes and reads until the other side closes.
enum RawClient {
    /// - Parameters:
    ///   - port: Where the server listens on this machine.
    ///   - bytes: What is sent.
    ///   - source: The address that it comes from.
    /// - Returns: What was answered.
    /// - Throws: When there is no connection.
    static func exchange(_ port: Int, _ bytes: [UInt8], from source: String = "127.0.0.1") async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(to: try SocketAddress(ipAddress: source, port: 0))
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: bytes))
            var answer = ByteBuffer()
            for try await part in inbound { answer.writeImmutableBuffer(part) }
            return String(buffer: answer)
        }
    }
}
