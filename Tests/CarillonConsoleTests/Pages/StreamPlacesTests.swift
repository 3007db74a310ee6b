import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import CarillonConsole

/// How many streams there may be, and what they share.
@Suite(.timeLimit(.minutes(2)))
struct StreamPlacesTests {
    /// Opens a stream without reading it.
    private func open(_ path: String, _ person: Person, in world: ConsoleWorld) async throws -> Response {
        var headers: HTTPFields = [.accept: "text/event-stream", .acceptLanguage: "en"]
        headers[.cookie] = "carillon-dev=" + person.session
        let head = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "localhost",
            path: "/console" + path,
            headerFields: headers
        )
        let caller = ConsoleCaller(address: "local", network: "local", isEncrypted: false, requestID: "r1")
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        return await world.console.answer(request, caller).response
    }

    @Test("K-108 the seventh stream of a session is refused with 429, whatever its page, until one ends")
    func seventh() async throws {
        try await ConsoleWorld.run { world in
            let (person, app) = (try await world.makeAdmin(), try await world.makeApp())
            var streams: [Response] = []
            for path in ["/live/system", "/apps/\(app.id)/live"] {
                for _ in 0..<3 { streams.append(try await open(path, person, in: world)) }
            }
            #expect(streams.allSatisfy { $0.status == .ok })
            for path in ["/live/system", "/apps/\(app.id)/live"] {
                let seventh = try await open(path, person, in: world)
                #expect(seventh.status == .tooManyRequests)
            }

            streams.removeLast()
            let next = try await open("/live/system", person, in: world)
            #expect(next.status == .ok)
        }
    }

    @Test("K-108 another session has places of its own")
    func otherSessions() async throws {
        try await ConsoleWorld.run { world in
            let (person, roles) = (try await world.makeAdmin(), OperatorRoles(everywhere: .viewer))
            let other = try await world.makeOperator("p2@example.org", roles)
            var streams: [Response] = []
            for _ in 0..<6 { streams.append(try await open("/live/system", person, in: world)) }
            let of = try await open("/live/system", other, in: world)
            #expect(of.status == .ok)
            withExtendedLifetime(streams) {}
        }
    }

    @Test("K-108 two hundred streams of a page read its state once, and format it once")
    func shared() async throws {
        let (reads, renderings) = (NIOLockedValueBox(0), NIOLockedValueBox(0))
        let models = SharedRead<Int, Int>(lifetime: .seconds(3_600))
        let frames = SharedRendering<Int, String>()
        let look = StreamLook("page", try Look.test())
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    let model = try await models.value(0) {
                        reads.withLockedValue { $0 += 1 }
                        return 7
                    }
                    return try await frames.value(look, of: model) {
                        renderings.withLockedValue { $0 += 1 }
                        return "\(model)"
                    }
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(texts == ["7"])
        #expect(reads.withLockedValue { $0 } == 1)
        #expect(renderings.withLockedValue { $0 } == 1)
    }

    @Test("What is shared is rendered again of another state, and in another language")
    func renderedAgain() async throws {
        let frames = SharedRendering<Int, String>()
        let english = StreamLook("page", try Look.test())
        let japanese = StreamLook("page", try Look.test(.japanese))
        let first = try await frames.value(english, of: 1) { "one" }
        let same = try await frames.value(english, of: 1) { "again" }
        let other = try await frames.value(japanese, of: 1) { "一" }
        let next = try await frames.value(english, of: 2) { "two" }
        #expect([first, same, other, next] == ["one", "one", "一", "two"])
    }
}
