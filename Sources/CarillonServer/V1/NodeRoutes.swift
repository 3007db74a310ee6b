import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import HTTPTypes
import Hummingbird

/// `/v1/nodes`: the processes of the server, for keys of the server.
struct NodeRoutes: Sendable {
    let nodes: Nodes

    func declare(_ routes: inout Routes) {
        routes.on(.get, "/v1/nodes", .key(.read, app: .none), query: ["cursor", "limit"], list)
        routes.on(.post, "/v1/nodes/{node}/quiet", .key(.admin, app: .none), quiet)
        routes.on(.post, "/v1/nodes/{node}/wake", .key(.admin, app: .none), wake)
        routes.on(.post, "/v1/nodes/{node}/release-leases", .key(.admin, app: .none), releaseLeases)
    }

    @Sendable private func list(_ call: KeyCall<NoApp>) async throws -> Response {
        let query = call.query
        return try Response(try await nodes.page(after: try query.cursor(NodeID.self), limit: try query.limit()))
    }

    @Sendable private func quiet(_ call: KeyCall<NoApp>) async throws -> Response {
        try Response(try await nodes.quiet(try call[.node], by: "\(call.principal.key)"))
    }

    @Sendable private func wake(_ call: KeyCall<NoApp>) async throws -> Response {
        try Response(try await nodes.wake(try call[.node]))
    }

    @Sendable private func releaseLeases(_ call: KeyCall<NoApp>) async throws -> Response {
        try Response(try await nodes.releaseLeases(of: try call[.node]))
    }
}
