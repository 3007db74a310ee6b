import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The least that a registration costs with this HTTP stack: its body is read and a short answer is sent, with no route
/// and no key looked up, no logger made, nothing decoded and nothing kept.
///
/// It is put together as the server's own application is. `script/bench register` compares the server with it, on the
/// same core under the same load. Prints its address as one line of JSON and serves until it is told to end.
@main
struct BareServer {
    static func main() async throws {
        let logger = Logger(label: "bare") { _ in SwiftLogNoOpLogHandler() }
        let service = try HTTPServerBuilder.http1().buildServer(
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: 0)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: logger
        ) { request, writer, _ in
            let body = try await request.body.collect(upTo: 65_536)
            let answer = ByteBuffer(string: #"{"bytes":\#(body.readableBytes)}"#)
            let response = Response(
                status: .ok,
                headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: answer)
            )
            try await writer.write(response: response.head, body: response.body)
        } onServerRunning: { channel in
            print(#"{"url":"http://127.0.0.1:\#(channel.localAddress?.port ?? 0)"}"#)
            fflush(nil)
        }
        try await service.run()
    }
}
