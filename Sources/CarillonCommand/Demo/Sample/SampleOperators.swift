#if os(Linux)
import CarillonEngine
import CarillonOperatorModel
import Foundation

/// The sample's Operators: one of each role, whom addresses and names call by it.
struct SampleOperators: Sendable {
    static let roles: [OperatorRole] = [.admin, .sender, .editor, .viewer]

    private static let caller = OperatorCaller(address: "127.0.0.1", network: "127.0.0.1", client: "carillon demo")

    let operators: Operators
    let password: String

    /// The address of a role's Operator.
    static func address(of role: OperatorRole) -> String { "\(role.rawValue)@example.org" }

    /// Makes them in a store that has none.
    ///
    /// - Returns: A session of the admin.
    /// - Throws: What the engine throws, and ``EngineError/operators(_:)`` when there is an admin already.
    func make() async throws -> OpenedSession {
        guard let setup = try await operators.newSetupLink() else { throw EngineError.operators(.linkGone) }
        let opened = try await operators.setUp(
            Self.secret(of: setup),
            address: Self.address(of: .admin),
            displayName: Self.name(of: .admin),
            password: password,
            by: Self.caller
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for role in Self.roles where role != .admin { group.addTask { try await make(role) } }
            try await group.waitForAll()
        }
        return opened
    }

    // MARK: - Private

    private func make(_ role: OperatorRole) async throws {
        let invitation = OperatorInvitation(
            address: Self.address(of: role),
            displayName: Self.name(of: role),
            roles: OperatorRoles(everywhere: role)
        )
        let invited = try await operators.invite(invitation, by: .server).value
        _ = try await operators.acceptInvitation(
            Self.secret(of: invited.link),
            displayName: Self.name(of: role),
            password: password,
            by: Self.caller
        )
    }

    private static func name(of role: OperatorRole) -> String { role.rawValue.capitalized }

    private static func secret(of link: OperatorLink) -> String {
        String(link.path.split(separator: "/").last ?? "")
    }
}
#endif
