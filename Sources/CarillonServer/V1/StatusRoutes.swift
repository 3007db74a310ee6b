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
        try APIDescription.v1.response()
    }
}

/// An embedded description of an API.
struct APIDescription: Sendable {
    static let v1 = APIDescription("openapi")
    static let toastPush = APIDescription("openapi-toast-push")
    static let corePush = APIDescription("openapi-core-push")
    static let coimotion = APIDescription("openapi-coimotion")

    private let document: ByteBuffer?

    private init(_ name: String) {
        let url = Bundle.module.url(forResource: name, withExtension: "yaml")
        document = url.flatMap { try? Data(contentsOf: $0) }.map { ByteBuffer(bytes: $0) }
    }

    func response() throws -> Response {
        guard let document else { throw Problem.unknownPath }
        return Response(
            status: .ok,
            headers: [.contentType: "application/yaml"],
            body: ResponseBody(byteBuffer: document)
        )
    }
}
