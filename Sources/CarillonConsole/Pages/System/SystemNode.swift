import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// What an admin may do with a node.
enum SystemNodePage {
    enum Action: String, Hashable, Sendable, CaseIterable {
        case quiet, wake
        case releaseLeases = "release-leases"
    }

    private static let path = "/system/nodes/{node}"

    static func declare(_ routes: inout ConsoleRoutes) {
        routes.page(path, .everywhere(.admin)) { visit in
            .page(SystemNodeView(try await visit.engine.nodes.node(try wanted(visit)), visit.look))
        }
        for action in Action.allCases {
            routes.action("\(path)/\(action.rawValue)", .everywhere(.admin), on: { _ in ConsolePath.system }) { visit in
                try await perform(action, visit)
            }
        }
    }

    private static func wanted(_ visit: Visit) throws -> NodeID { try visit.parameter("node") { NodeID($0) } }

    private static func perform(_ action: Action, _ visit: Visit) async throws -> Outcome {
        let (id, nodes) = (try wanted(visit), visit.engine.nodes)
        visit.audit.note(object: id.description)
        let change: String
        switch action {
        case .quiet:
            _ = try await nodes.quiet(id, by: visit.person.id.description)
            change = "live → quiet"
        case .wake:
            _ = try await nodes.wake(id)
            change = "quiet → live"
        case .releaseLeases:
            let before = try await nodes.node(id)
            _ = try await nodes.releaseLeases(of: id)
            change = "leases: \(before.chunks) → 0"
        }
        visit.audit.note(object: id.description, change: change)
        return .redirect(ConsolePath.system, Notice("system.done.\(action.rawValue)"))
    }
}

/// The page of a node.
struct SystemNodeView: PageView {
    static let template = "system-node"

    /// A button with what it does.
    struct Button: Hashable, Sendable {
        let doesText: String
        let buttonText: String
        let buttonPath: String
        let isDangerous: Bool
    }

    let heading: String
    let pill: PillView
    let facts: [FactView]
    let buttons: [Button]
    let backPath = ConsolePath.system

    init(_ node: Node, _ look: Look) {
        heading = look.texts("system.node.heading", ["name": node.name])
        pill = node.pill(look)
        func label(_ name: String) -> String { look.texts.word("system.column", name) }
        facts = [
            FactView(label("node"), code: node.id.description),
            FactView(label("role"), look.texts.word("system.role", node.role)),
            FactView(label("chunks"), look.numbers.full(node.chunks)),
            FactView(label("seen"), look.times.exact(node.seenAt)),
        ].compactMap(\.self)
        var actions: [SystemNodePage.Action] = [node.quietSince == nil ? .quiet : .wake]
        if node.chunks > 0 { actions.append(.releaseLeases) }
        if node.isLost { actions.removeAll { $0 == .quiet } }
        buttons = actions.map { action in
            Button(
                doesText: look.texts.word("system.does", action.rawValue),
                buttonText: look.texts.word("system.button", action.rawValue),
                buttonPath: ConsolePath.system + "/nodes/\(node.id)/\(action.rawValue)",
                isDangerous: action != .wake
            )
        }
    }
}
