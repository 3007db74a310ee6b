import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

private enum TemplateColumn: Int, SQLColumn { case appID, id, name, message, createdAt, updatedAt }

/// Templates in SQL.
///
/// Names are unique in an App: of several writers the index lets one through, and the others see that nothing changed.
struct TemplateRepository: TemplateStore {
    let database: any Database

    func insert(
        _ template: Template,
        for request: IdempotentRequest<Template>?
    ) async throws(StoreError) -> Result<Template, EngineError> {
        try await database.write { connection in
            try connection.idempotencyKeys.begin(request)
            guard try connection.apps.app(template.app) != nil else { return .failure(.notFound(.app)) }
            let count = try connection.run(
                """
                INSERT INTO templates (\(TemplateColumn.list)) VALUES (\(TemplateColumn.parameters))
                ON CONFLICT (app_id, name) DO NOTHING
                """,
                bind: template.bind(to:)
            )
            guard count == 1 else { return .failure(Self.nameIsTaken) }
            try connection.idempotencyKeys.complete(request, template)
            return .success(template)
        }
    }

    func template(_ id: TemplateID, within app: AppID?) async throws(StoreError) -> Template? {
        try await database.read { connection in try connection.templates.template(id, within: app) }
    }

    func templates(of app: AppID, after id: TemplateID?, limit: Int) async throws(StoreError) -> [Template] {
        try await database.read { connection in
            try connection.all(
                """
                SELECT \(TemplateColumn.list) FROM templates WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3
                """,
                app,
                id ?? TemplateID(rawValue: -1),
                limit,
                read: Template.init(row:)
            )
        }
    }

    func replace(
        _ id: TemplateID,
        within app: AppID?,
        with request: TemplateRequest,
        at now: Timestamp
    ) async throws(StoreError) -> Result<Template, EngineError> {
        try await database.write { connection in
            guard let app = try connection.templates.template(id, within: app)?.app else {
                return .failure(.notFound(.template))
            }
            try connection.lock(.app(app))
            guard var template = try connection.templates.template(id, within: app) else {
                return .failure(.notFound(.template))
            }
            let count = try connection.run(
                """
                UPDATE templates SET name = $1, message = $2, updated_at = $3
                WHERE app_id = $4 AND id = $5 AND NOT EXISTS (
                    SELECT 1 FROM templates o WHERE o.app_id = $4 AND o.name = $1 AND o.id <> $5)
                """,
                request.name,
                try JSONColumn(request.message),
                now,
                template.app,
                id
            )
            guard count == 1 else { return .failure(Self.nameIsTaken) }
            (template.name, template.message, template.updatedAt) = (request.name, request.message, now)
            return .success(template)
        }
    }

    func delete(_ id: TemplateID, within app: AppID?) async throws(StoreError) -> Bool {
        try await database.write { connection in
            guard let template = try connection.templates.template(id, within: app) else { return false }
            return try connection.run(
                "DELETE FROM templates WHERE app_id = $1 AND id = $2",
                template.app,
                id
            ) == 1
        }
    }

    private static let nameIsTaken = EngineError.conflict("The App has a template of this name.")
}

extension TemplateTable {
    fileprivate func template(_ id: TemplateID, within app: AppID?) throws -> Template? {
        guard let app = try connection.apps.app(of: id, in: .templates, within: app) else { return nil }
        return try connection.first(
            "SELECT \(TemplateColumn.list) FROM templates WHERE app_id = $1 AND id = $2",
            app,
            id,
            read: Template.init(row:)
        )
    }
}

extension Template {
    fileprivate init(row: SQLRow<TemplateColumn>) throws {
        self.init(
            id: try row[.id],
            app: try row[.appID],
            name: try row[.name],
            message: try row.json(.message),
            createdAt: try row[.createdAt],
            updatedAt: try row[.updatedAt]
        )
    }

    fileprivate func bind(to row: SQLParameters<TemplateColumn>) throws {
        row.bind(app, to: .appID)
        row.bind(id, to: .id)
        row.bind(name, to: .name)
        row.bind(try JSONColumn(message), to: .message)
        row.bind(createdAt, to: .createdAt)
        row.bind(updatedAt, to: .updatedAt)
    }
}
