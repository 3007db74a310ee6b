import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import CarillonConsole

/// Streams of pages whose numbers move.
@Suite(.timeLimit(.minutes(2)))
struct LiveStreamTests {
    @Test("A stream sends what changed, comments on the rest, and ends with its session")
    func ends() async throws {
        let reads = NIOLockedValueBox(0)
        let looks = NIOLockedValueBox(0)
        var stream = LiveStream(
            read: {
                let number = reads.withLockedValue { reads in
                    reads += 1
                    return reads
                }
                return try LiveFrame(LiveEvent(state: "", numbers: ["n": "\(min(number, 2))"], at: "\(number)"))
            },
            isOpen: {
                looks.withLockedValue { looks in
                    looks += 1
                    return looks < 3
                }
            }
        )
        (stream.pace.interval, stream.pace.readsPerHeartbeat) = (.zero, 4)
        let body = stream.body(holding: nil)
        let responder = CallbackResponder<BasicRequestContext> { _, _ in Response(status: .ok, body: body) }
        let text = try await Application(responder: responder).test(.router) { client in
            String(buffer: try await client.executeRequest(uri: "/", method: .get, headers: [:], body: nil).body)
        }

        #expect(text.hasPrefix("retry: 3000\n\n"))
        // Only the newest waits for a slow reader.
        let last = try #require(text.matches(of: #/id: \d+\nevent: progress\ndata: (.*)\n\n/#).last)
        let event = try JSONDecoder().decode(LiveEvent.self, from: Data(String(last.1).utf8))
        #expect(event.numbers == ["n": "2"])
        #expect(looks.withLockedValue { $0 } == 3)
    }

    @Test("Streams need the role of their page, and of another App there is none")
    func access() async throws {
        try await PageWorld.run { world in
            let (app, other) = (try await world.makeApp(), try await world.makeApp("Other"))
            let viewer = try await world.session(.viewer, of: app)
            #expect(try await world.get("/live/system", as: viewer).status == .forbidden)
            #expect(try await world.get("/apps/\(other)/live", as: viewer).status == .notFound)
            #expect(try await world.get("/apps/\(app)").text.contains("data-stream=\"/console/apps/\(app)/live\""))
            #expect(try await world.get("/system").text.contains("data-stream=\"/console/live/system\""))
        }
    }
}
