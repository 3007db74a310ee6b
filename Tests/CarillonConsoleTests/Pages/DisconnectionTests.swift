import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOPosix
import Testing

@testable import CarillonConsole

/// What a stream holds when its browser leaves.
struct DisconnectionTests {
    @Test("A stream without news ends when the browser disconnects")
    func ends() async throws {
        let (ended, continuation) = AsyncStream.makeStream(of: Bool.self)
        let router = Router()
        router.get("live") { request, _ in
            let body = ResponseBody { writer in
                try await writer.write(ByteBuffer(string: ": first\n\n"))
                // Nothing is written any more, until it is cancelled.
                let (news, source) = AsyncStream.makeStream(of: Never.self)
                for await _ in news {}
                withExtendedLifetime(source) {}
                continuation.yield(Task.isCancelled)
            }
            return Response(status: .ok, body: body.endingWithConnection(of: request))
        }
        try await Application(router: router).test(.live) { client in
            try await readFirst(of: "/live", at: try #require(client.port))
            var isCancelled = ended.makeAsyncIterator()
            #expect(await isCancelled.next() == true)
        }
    }

    /// Reads the beginning of a response and disconnects.
    private func readFirst(of path: String, at port: Int) async throws {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            var text = ""
            for try await part in inbound {
                text += String(buffer: part)
                if text.contains("first") { return }
            }
        }
    }
}
