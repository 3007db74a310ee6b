import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import HTTPTypes
import Hummingbird

/// Routes for monitoring: health, readiness, metrics and the API's description.
struct StatusRoutes: Sendable {
    let storeCheck: ReadinessCheck
    /// Other causes that make the node unready or degraded.
    let readiness: @Sendable () async -> Readiness
    /// Whether metrics are open to everybody.
    let metricsAreOpen: Bool
    let sources: [any MetricsSource]

    func declare(_ routes: inout Routes) {
        routes.on(.get, "/health", .none("whether the process lives"), health)
        routes.on(.get, "/ready", .none("whether the node can work"), ready)
        routes.on(.get, "/metrics", .local(isOpen: metricsAreOpen), metrics)
    }

    /// Declares the API's description, where the API is served.
    func declareDescription(_ routes: inout Routes) {
        routes.on(.get, "/v1/openapi.yaml", .none("the description"), openAPI)
    }

    @Sendable private func health(_ call: OpenCall) async throws -> Response {
        Response(status: .ok, json: ByteBuffer(string: "{\"status\":\"ok\"}"))
    }

    @Sendable private func ready(_ call: OpenCall) async throws -> Response {
        do {
            try await storeCheck.check()
        } catch {
            throw EngineError.store(error)
        }
        return try await readiness().response
    }

    @Sendable private func metrics(_ call: OpenCall) async throws -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: sources.page.text))
        )
    }

    @Sendable private func openAPI(_ call: OpenCall) async throws -> Response {
        guard let text = Self.document else { throw Problem.unknownPath }
        return Response(
            status: .ok,
            headers: [.contentType: "application/yaml"],
            body: ResponseBody(byteBuffer: text)
        )
    }

    /// The embedded description of the API.
    private static let document: ByteBuffer? = {
        guard let url = Bundle.module.url(forResource: "openapi", withExtension: "yaml") else { return nil }
        return (try? Data(contentsOf: url)).map { ByteBuffer(bytes: $0) }
    }()
}
