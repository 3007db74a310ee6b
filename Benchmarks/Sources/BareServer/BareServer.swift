import Hummingbird
import NIOCore
import NIOPosix

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The least that a registration costs with this HTTP stack: its body is read and a short answer is sent, with no key
/// looked up, nothing decoded and nothing kept.
///
/// `script/bench register` compares the server with it, on the same core under the same load. Prints its address as one
/// line of JSON and serves until it is told to end.
@main
struct BareServer {
    static func main() async throws {
        let router = Router()
        router.put("/v1/devices/{device}") { request, _ in
            let body = try await request.body.collect(upTo: 65_536)
            return Response(
                status: .ok,
                headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(string: #"{"bytes":\#(body.readableBytes)}"#))
            )
        }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                print(#"{"url":"http://127.0.0.1:\#(channel.localAddress?.port ?? 0)"}"#)
                fflush(nil)
            },
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup(numberOfThreads: 1))
        )
        try await application.runService()
    }
}
