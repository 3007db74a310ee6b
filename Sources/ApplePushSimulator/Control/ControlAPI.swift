import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The control API over plain HTTP with JSON; `docs/apns-simulator.md` describes each operation.
struct ControlAPI: Sendable {
    /// Maximum size of a request body, in bytes.
    static let bodyLimit = 16 << 20

    struct Context: RequestContext {
        var coreContext: CoreRequestContextStorage
        /// The connection of the request.
        let channel: any Channel

        init(source: ApplicationRequestContextSource) {
            coreContext = CoreRequestContextStorage(source: source)
            channel = source.channel
        }

        var maxUploadSize: Int { ControlAPI.bodyLimit }
    }

    let handle: SimulatorHandle
    let certificateAuthorityPEM: String
    let watchers: Watchers
    let addresses: @Sendable () async throws -> APNsSimulator.Addresses

    /// Creates the HTTP server.
    func application(
        configuration: SimulatorConfiguration,
        logger: Logger,
        onPort: @escaping @Sendable (Int) -> Void
    ) -> some ApplicationProtocol {
        Application(
            router: router(configuration: configuration),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.controlPort),
                serverName: "carillon-apns-simulator"
            ),
            onServerRunning: { onPort($0.localAddress?.port ?? 0) },
            logger: logger
        )
    }

    /// Creates the routes of all operations.
    func router(configuration: SimulatorConfiguration) -> Router<Context> {
        let router = Router(context: Context.self)
        router.add(middleware: LocalAccessMiddleware(access: LocalAccess(names: configuration.controlNames)))
        addPage(to: router)
        addObservation(to: router)
        addDevices(to: router)
        addMisbehaviour(to: router)
        addFeeds(to: router)
        addScenario(to: router)
        addClock(to: router)
        addListeners(to: router)
        addConnections(to: router)
        addCertificates(to: router)
        addChannels(to: router)
        return router
    }

    // MARK: - Observation

    private func addObservation(to router: Router<Context>) {
        router.get("/health") { _, _ in HealthAnswer(status: "ok") }
        router.get("/ca.pem") { _, _ in certificateAuthorityPEM }
        router.get("/stats") { _, _ in handle.counters() }
        router.post("/reset") { request, _ in
            if try flag("rules", of: request) { handle.resetRules() }
            handle.reset()
            return HTTPResponse.Status.noContent
        }
        router.get("/requests") { request, _ in
            let limit = try number("limit", of: request, 1...Recorder.largestLimit) ?? 100
            return handle.requests(limit: limit).map(RequestAnswer.init)
        }
        router.get("/tokens") { request, _ in
            let position = try number("from", of: request, 0...Int(UInt32.max)) ?? 0
            let limit = try number("limit", of: request, 1...100_000) ?? 1000
            let (tokens, next) = handle.issuedTokens(from: position, limit: limit)
            return IssuedTokensAnswer(tokens: tokens, next: next)
        }
        router.get("/tokens/counts") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: "application/x-ndjson"],
                body: ResponseBody { writer in
                    var position: Int? = 0
                    while let start = position {
                        let (counts, next) = handle.acceptedCounts(from: start)
                        let lines = counts.map { "{\"token\":\"\($0.token)\",\"accepted\":\($0.accepted)}\n" }
                        try await writer.write(ByteBuffer(string: lines.joined()))
                        position = next
                    }
                    try await writer.finish(nil)
                }
            )
        }
    }

    /// Reads a flag in the query; false when missing.
    private func flag(_ name: String, of request: Request) throws -> Bool {
        switch request.uri.queryParameters[Substring(name)] {
        case nil, "false": return false
        case "true": return true
        default: throw HTTPError(.badRequest, message: "\(name): wanted true or false")
        }
    }

    /// Reads a number in the query.
    private func number(_ name: String, of request: Request, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = request.uri.queryParameters[Substring(name)] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw HTTPError(
                .badRequest,
                message: "\(name): wanted a number from \(range.lowerBound) through \(range.upperBound)"
            )
        }
        return number
    }

    // MARK: - Misbehaviour

    private func addMisbehaviour(to router: Router<Context>) {
        router.post("/keys") { request, context in
            handle.addKey(try await request.readStrictly(context: context, SigningKey.init(reading:)))
            return HTTPResponse.Status.noContent
        }
        router.delete("/keys/:keyID") { _, context in
            guard handle.revokeKey(try context.parameters.require("keyID")) else {
                throw HTTPError(.notFound, message: "there is no key of that id")
            }
            return HTTPResponse.Status.noContent
        }
        router.get("/faults") { _, _ in handle.faults().map(FaultAnswer.init) }
        router.post("/faults") { request, context in
            let order = try await request.readStrictly(context: context, FaultOrder.init(reading:))
            let id = handle.inject(order.fault(from: handle.core.clock.now))
            return EditedResponse(status: .created, response: FaultIDAnswer(id: id))
        }
        router.delete("/faults/:fault") { _, context in
            guard handle.removeFault(id: Int(try context.parameters.require("fault")) ?? 0) else {
                throw HTTPError(.notFound, message: "there is no fault of that id in force")
            }
            return HTTPResponse.Status.noContent
        }
        router.delete("/faults") { _, _ in
            handle.removeFaults()
            return HTTPResponse.Status.noContent
        }
        router.put("/availability") { request, context in
            let isAvailable = try await request.readStrictly(context: context) { fields throws(FieldProblem) in
                try fields.required("available", try fields.flag("available"))
            }
            handle.setAvailable(isAvailable)
            return HTTPResponse.Status.noContent
        }
    }
}
