/// The methods of each path, to distinguish 405 from 404.
struct AllowedMethods: Sendable {
    private var routes: [(path: [Substring], methods: [String])] = []

    /// Adds a route; a path's parts in braces match anything.
    mutating func insert(_ method: String, _ path: String) {
        let parts = path.split(separator: "/")
        if let index = routes.firstIndex(where: { $0.path == parts }) {
            routes[index].methods.append(method)
        } else {
            routes.append((parts, [method]))
        }
    }

    /// The methods of the path; empty for an unknown path.
    func of(_ path: String) -> [String] {
        let parts = path.split(separator: "/")
        let route = routes.first { route in
            route.path.count == parts.count
                && zip(route.path, parts).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }
        return (route?.methods ?? []).sorted()
    }
}
