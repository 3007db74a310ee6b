import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Templates in SQL.
///
/// Names are unique in an App: of several writers the index lets one through, and the others see that nothing changed.
struct TemplateRepository: TemplateStore {
    let database: any Database

    func insert(
        _ template: Template,
        for request: IdempotentRequest<Template>?
    ) async throws(StoreError) -> Result<Template, EngineError> {
        let message = try JSONColumn(template.message).text
        return try await database.write { connection in
            try connection.idempotencyKeys.begin(request)
            guard try connection.apps.app(template.app) != nil else { return .failure(.notFound(.app)) }
            let count = try connection.run(
                """
                INSERT INTO templates (app_id, id, name, message, created_at, updated_at)
                VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (app_id, name) DO NOTHING
                """,
                template.app,
                template.id,
                template.name,
                message,
                template.createdAt,
                template.updatedAt
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
                SELECT app_id, id, name, message, created_at, updated_at FROM templates
                WHERE app_id = $1 AND id > $2 ORDER BY id LIMIT $3
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
        let message = try JSONColumn(request.message).text
        return try await database.write { connection in
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
                message,
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
            "SELECT app_id, id, name, message, created_at, updated_at FROM templates WHERE app_id = $1 AND id = $2",
            app,
            id,
            read: Template.init(row:)
        )
    }
}

extension Template {
    fileprivate init(row: any SQLStatement) throws {
        self.init(
            id: TemplateID(rawValue: row.int64(1)),
            app: AppID(rawValue: row.int64(0)),
            name: row.string(2),
            message: try JSONColumn.value(row, at: 3),
            createdAt: Timestamp(rawValue: row.int64(4)),
            updatedAt: Timestamp(rawValue: row.int64(5))
        )
    }
}
