import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/test-devices`: phones of the team, by API key; `/v1/devices/{device}/test-pairing`: such a phone itself.
struct TestDeviceRoutes: Sendable {
    let testDevices: TestDevices
    let idempotency: IdempotencyMiddleware
    let metrics: ServerMetrics

    func declare(_ routes: inout Routes) {
        routes.on(
            .get,
            "/v1/test-devices",
            .key(.read, app: .query),
            recorded: .all,
            query: ["cursor", "limit"],
            list
        )
        routes.on(.post, "/v1/test-devices", .key(.admin, app: .query), add)
        routes.on(.post, "/v1/test-device-send", .key(.send, app: .query), send)
        routes.on(.delete, "/v1/test-devices/{device}", .key(.admin, app: .query), remove)
        routes.on(.post, "/v1/test-pairings", .key(.admin, app: .query), makePairing)
        routes.on(.post, DeviceRoutes.path + "/test-pairing", .device, pair)
    }

    private static let created = CreatedAnswer<Campaign>(location: { "/v1/campaigns/\($0.id)" })

    @Sendable private func list(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let query = call.query
        let app = try call.app()
        return try Response(try await testDevices.list(app: app, cursor: query["cursor"], limit: try query.limit()))
    }

    @Sendable private func add(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let request: TestDeviceRequest = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await testDevices.add(request, app: try call.app()))
    }

    @Sendable private func remove(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let app = try call.app()
        try await testDevices.remove(try call[.device], app: app)
        return .noContent
    }

    @Sendable private func send(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (body, wanted) = try await call.repeatableBody(TestDevicesSend.self, upTo: BodyLimit.standard)
        let app = try call.app()
        return try await idempotency.answer(call, body, Self.created) {
            let campaign = try await testDevices.send(app: app, wanted, for: $0)
            metrics.add(1, to: .campaigns)
            return campaign
        }
    }

    @Sendable private func makePairing(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let request: TestPairingRequest = try await call.body(upTo: BodyLimit.standard)
        return try Response(try await testDevices.makePairing(request, app: try call.app()), status: .created)
    }

    @Sendable private func pair(_ call: DeviceCall) async throws -> Response {
        // Codes are short: an address may not try many.
        try call.limitRegistration()
        let claim: TestPairingClaim = try await call.body(upTo: BodyLimit.standard)
        _ = try await testDevices.pair(call.caller, claim)
        return .noContent
    }
}
