import CarillonModel
import CarillonOperatorModel
import CarillonStore
import InMemoryTracing
import Testing
import Tracing

@testable import CarillonEngine

@Suite(.timeLimit(.minutes(5)))
struct DeliverySpanTests {
    private static let reason = FailureReason(rawValue: "SomeReason")

    private let tracer = InMemoryTracer()

    private func dispatcher(_ world: DeliveryWorld, _ store: FaultyStore? = nil) -> Dispatcher {
        var dependencies = store.map { world.dependencies($0) } ?? world.dispatcher().dependencies
        dependencies.tracer = tracer
        var options = Dispatcher.Options()
        options.batchSize = 3
        return Dispatcher(options: options, dependencies)
    }

    private func spans(_ name: String) -> [FinishedInMemorySpan] {
        tracer.finishedSpans.filter { $0.operationName == "carillon." + name }
    }

    @Test("Work at a campaign has a span, with spans of the chunk and of each batch; they name no device")
    func nests() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(5) { number in .init(user: "user\(number)") }
        world.sender.answer { $0.device.rawValue == 1 ? .dropMessage(Self.reason) : .accepted }
        let campaign = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(dispatcher(world)) { try await world.wait(for: .sent, of: campaign.id) }

        let chunk = try #require(spans("chunk").first)
        let turn = try #require(spans("campaign").first { $0.spanID == chunk.parentSpanID })
        let batches = spans("batch").sorted { $0.count("notifications") > $1.count("notifications") }
        #expect(spans("chunk").count == 1 && turn.parentSpanID == nil)
        #expect(batches.map(\.parentSpanID) == [chunk.spanID, chunk.spanID])
        #expect(batches.map(\.kind) == [.client, .client])
        let number = chunk.attributes.get("carillon.chunk")
        var shared: SpanAttributes = [:]
        shared["carillon.app"] = "\(world.app)"
        shared["carillon.campaign"] = "\(campaign.id)"
        #expect(turn.attributes == shared.with("carillon.occurrence", turn.attributes.get("carillon.occurrence")))
        shared.set("carillon.chunk", value: number)
        #expect(number != nil && chunk.attributes == shared.with("carillon.devices", .int64(5)))
        for (batch, size) in zip(batches, [3, 2] as [Int64]) {
            let counts = shared.with("carillon.notifications", .int64(size))
            #expect(batch.attributes == counts.with("carillon.accepted", .int64(Int64(batch.count("accepted")))))
        }
        #expect(batches.map { $0.count("accepted") }.reduce(0, +) == 4)
        #expect(tracer.finishedSpans.allSatisfy { $0.status == nil } && tracer.activeSpans.isEmpty)
    }

    @Test(
        "A batch without an accepted notification is an error, and so is a chunk that halts its campaign",
        arguments: [
            (Consequence.dropMessage(reason), false, false), (.dropDeviceToken(reason, since: nil), false, false),
            (.retryLater(reason, after: nil), true, false), (.halt(reason), true, true),
        ]
    )
    func failures(_ consequence: Consequence, failsBatch: Bool, failsChunk: Bool) async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        world.sender.answer { _ in consequence }
        _ = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(dispatcher(world)) { await world.sender.batches(1) }

        let failed = SpanStatus(code: .error, message: "SomeReason")
        #expect(spans("batch").map(\.status) == [failsBatch ? failed : nil])
        #expect(spans("chunk").map(\.status) == [failsChunk ? failed : nil])
    }

    @Test("A batch with one answered notification is no error")
    func answered() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        world.sender.answer { $0.device.rawValue == 2 ? .accepted : .retryLater(Self.reason, after: nil) }
        _ = try await world.campaigns.create(app: world.app, world.request())
        try await world.dispatching(dispatcher(world)) { await world.sender.batches(1) }

        #expect(spans("batch").map(\.status) == [nil] && spans("batch").map { $0.count("accepted") } == [1])
    }

    @Test("Work whose devices cannot be read is an error that names the step")
    func failingTurn() async throws {
        let world = try await DeliveryWorld()
        try await world.addDevices(3)
        _ = try await world.campaigns.create(app: world.app, world.request())
        let store = FaultyStore(world.stores.deliveries)
        let (failures, failing) = AsyncStream.makeStream(of: Void.self)
        store.fail { step, _ in
            guard step == .readDevices else { return nil }
            failing.finish()
            return .failed("no")
        }
        try await world.dispatching(dispatcher(world, store)) { for await _ in failures {} }

        #expect(spans("campaign").contains { $0.status == SpanStatus(code: .error, message: "readDevices") })
        #expect(spans("chunk").isEmpty)
    }
}

extension FinishedInMemorySpan {
    /// One of the counts among the attributes; -1 when there is none.
    fileprivate func count(_ name: String) -> Int {
        guard case .int64(let count)? = attributes.get("carillon." + name) else { return -1 }
        return Int(count)
    }
}

extension SpanAttributes {
    /// The same with one more.
    fileprivate func with(_ name: String, _ value: SpanAttribute?) -> Self {
        var all = self
        all.set(name, value: value)
        return all
    }
}
