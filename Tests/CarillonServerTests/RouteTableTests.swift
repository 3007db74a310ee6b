import CarillonContentJobs
import CarillonServer
import CarillonStore
import Foundation
import Testing

/// Who may call what: the routes as they are declared.
struct RouteTableTests {
    @Test("Each route has the expected access")
    func access() async throws {
        let lines = try await Self.routes().map { route in
            "\(route.path) \(route.method) | \(route.access) | \(route.app.isEmpty ? "-" : route.app)"
        }
        let expected = Self.expected.split(separator: "\n").map(String.init)

        #expect(Set(lines).subtracting(expected).sorted() == [])
        #expect(Set(expected).subtracting(lines).sorted() == [])
        #expect(lines.count == expected.count)
    }

    @Test("Each route is in the API's description with its credentials, and vice versa")
    func description() async throws {
        try await check("openapi.yaml") { !Self.isVendors($0) }
    }

    @Test("Each route of a vendor API is in that API's description with its credentials, and vice versa")
    func vendorDescriptions() async throws {
        try await check("openapi-toast-push.yaml", Self.isToastPush)
        try await check("openapi-core-push.yaml", Self.isCorePush)
        try await check("openapi-coimotion.yaml", Self.isCoimotion)
    }

    /// Whether a route is of a vendor API: it is described elsewhere, and ignores unknown names of its query.
    static func isVendors(_ route: DeclaredRoute) -> Bool {
        isToastPush(route) || isCorePush(route) || isCoimotion(route)
    }

    private static func isToastPush(_ route: DeclaredRoute) -> Bool { route.path.hasPrefix("/push/") }

    private static func isCorePush(_ route: DeclaredRoute) -> Bool {
        route.path.hasSuffix(".php") || route.path.hasPrefix("/corepush/")
    }

    private static func isCoimotion(_ route: DeclaredRoute) -> Bool {
        route.path.hasPrefix("/{appcode}/") || route.path.hasPrefix("/coimotion/")
    }

    private func check(_ name: String, _ isDescribed: (DeclaredRoute) -> Bool) async throws {
        let declared = try await Self.routes().filter(isDescribed).map { route in
            "\(route.path) \(route.method): \(Self.credentials(route.access))"
        }
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/CarillonServer/Resources/" + name)
        let described = Self.operations(in: try String(contentsOf: file, encoding: .utf8))

        #expect(Set(declared).subtracting(described).sorted() == [])
        #expect(Set(described).subtracting(declared).sorted() == [])
        #expect(declared.count == described.count)
    }

    // MARK: - Private

    static func routes() async throws -> [DeclaredRoute] {
        let (engine, stores) = try await TestServer.makeServices()
        return APIServer(
            configuration: .init(),
            engine: engine,
            content: ContentServices(stores, engine, UnusedFetcher()),
            logger: TestServer.logger
        ).declaredRoutes
    }

    /// What the description calls the credentials of an access.
    private static func credentials(_ access: String) -> String {
        switch access.prefix(while: { $0 != ":" }) {
        case "API key": "apiKey"
        case "App key": "appKey"
        case "Account": "appKey+accountToken"
        case "Device", "Device to be registered": "appKey+deviceSecret"
        case "Device, or API key": "appKey+deviceSecret, apiKey"
        case "App key, or API key": "appKey, apiKey"
        case "this machine, or API key": "{}, apiKey"
        case "coimotion": access.hasSuffix("app key") ? access.contains("token") ? "appKey, token" : "appKey" : "token"
        case "corepush": access.hasSuffix("config key") ? "{}, basic, secretKey" : "basic, secretKey"
        case "toast": access.hasSuffix("app key") ? "{}, secretKey, secretAccessKey" : "secretKey, secretAccessKey"
        default: access == "none: a ticket" ? "ticket" : "[]"
        }
    }

    /// The operations of the description with their credentials, read by the indentation of its lines.
    private static func operations(in text: String) -> [String] {
        var operations: [(name: String, credentials: [String])] = []
        var (path, isInSecurity) = ("", false)
        let body = text.components(separatedBy: "\npaths:\n").last ?? ""
        for line in body.split(separator: "\n").prefix(while: { $0.hasPrefix(" ") }) {
            if let match = line.wholeMatch(of: #/  (\/.*):/#) {
                path = String(match.1)
            } else if let match = line.wholeMatch(of: #/    (get|post|put|patch|delete):/#) {
                operations.append(("\(path) \(match.1.uppercased())", []))
            } else if let match = line.wholeMatch(of: #/      security:( \[\])?/#) {
                isInSecurity = true
                if match.1 != nil { operations[operations.count - 1].credentials.append("[]") }
            } else if isInSecurity, let match = line.wholeMatch(of: #/        - (\w+|\{\})(: \[\])?/#) {
                operations[operations.count - 1].credentials.append(String(match.1))
            } else if isInSecurity, let match = line.wholeMatch(of: #/          (\w+): \[\]/#) {
                let first = operations[operations.count - 1].credentials.removeLast()
                operations[operations.count - 1].credentials.append("\(first)+\(match.1)")
            } else {
                isInSecurity = false
            }
        }
        return operations.map { operation in
            let credentials = operation.credentials.isEmpty ? ["apiKey"] : operation.credentials
            return "\(operation.name): \(credentials.joined(separator: ", "))"
        }
    }
}
