import CarillonEngine
import CarillonModel
import CarillonOperatorModel

extension OperatorPages {
    static let pageSize = 50
    /// Apps whose roles are shown in a form; more are set with the API.
    static let appLimit = 20

    /// Reads a page of Operators.
    static func readList(_ visit: Visit) async throws -> ListModel {
        let after = visit.query["after"].flatMap { OperatorID($0) }
        let page = try await visit.engine.operators.list(after: after, limit: pageSize)
        return ListModel(operators: page.items, next: page.nextCursor)
    }

    /// Reads the Apps whose roles a form shows.
    static func readApps(_ visit: Visit) async throws -> [App] {
        try await visit.engine.apps.list(after: nil, limit: appLimit).items
    }

    /// Reads the Operator of the path.
    static func readDetail(_ visit: Visit) async throws -> DetailModel {
        let id = try id(visit)
        let operators = visit.engine.operators
        return DetailModel(
            person: try await operators.record(id),
            sessions: try await operators.sessions(of: id),
            identities: try await operators.signIns(of: id).identities,
            apps: try await readApps(visit),
            isSelf: id == visit.person.id
        )
    }

    /// The Operator of the path.
    static func id(_ visit: Visit) throws -> OperatorID { try visit.parameter("operator") { OperatorID($0) } }
}
