import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Hummingbird
import NIOCore
import ServiceLifecycle

/// `/v1/content-sets`: public data of an App, imported from files and searched.
struct ContentSetRoutes: Sendable {
    private static let rowQuery = [
        "table", "cursor", "limit", "where", "near", "radius", "time", "ending", "from", "until", "words",
    ]

    let sets: ContentSets

    func declare(_ routes: inout Routes) {
        let path = "/v1/content-sets/{set}"
        routes.on(.get, "/v1/content-sets", .key(.read, app: .query), query: ["cursor", "limit"], list)
        routes.on(.put, path, .key(.admin, app: .query), put)
        routes.on(.get, path, .key(.read, app: .query), get)
        routes.on(.delete, path, .key(.admin, app: .query), delete)
        routes.on(.post, path + "/imports", .key(.admin, app: .query), query: ["format", "table"], importFile)
        routes.on(.get, path + "/imports", .key(.read, app: .query), query: ["cursor", "limit"], imports)
        routes.on(.get, path + "/rows", .appOrKey(.read), query: Self.rowQuery, rows)
    }

    @Sendable private func list(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (query, app) = (call.query, try call.app())
        let cursor = query["cursor"]
        guard cursor.map(ContentName.isSetName) ?? true else { throw Query.wrongCursor }
        let limit = try query.limit()
        return try Response(try await contentAnswer(try await sets.list(app: app, after: cursor, limit: limit)))
    }

    @Sendable private func put(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let definition: ContentSetDefinition = try await call.body(upTo: BodyLimit.standard)
        let (name, app) = (try call[.contentSet], try call.app())
        return try Response(try await contentAnswer(try await sets.put(name, definition, app: app)))
    }

    @Sendable private func get(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (name, app) = (try call[.contentSet], try call.app())
        return try Response(try await contentAnswer(try await sets.set(name, app: app)))
    }

    @Sendable private func delete(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (name, app) = (try call[.contentSet], try call.app())
        try await contentAnswer(try await sets.delete(name, app: app))
        return .noContent
    }

    @Sendable private func importFile(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (query, name, app) = (call.query, try call[.contentSet], try call.app())
        guard let format = query["format"].flatMap(ContentFormat.init) else {
            let all = ContentFormat.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.invalidField(FieldError(field: "format", problem: "must be one of \(all)"))
        }
        if call.request.first(.contentType)?.lowercased().hasPrefix("multipart/") == true {
            let problem = "must be the body itself, as it is, and not a part of a form (curl: --data-binary @FILE)"
            throw Problem.invalidField(FieldError(field: "file", problem: problem))
        }
        // A file is in memory several times while it is read: few are at a time.
        let place = try call.acquireCostly(app)
        defer { withExtendedLifetime(place) {} }
        let limit = ContentFile.Limits().fileSize
        if let announced = call.request.first(.contentLength).flatMap({ Int($0) }), announced > limit {
            throw Problem.bodyTooLarge(limit: limit)
        }
        var bytes: [UInt8] = []
        for try await part in call.request.body {
            guard bytes.count + part.readableBytes <= limit else { throw Problem.bodyTooLarge(limit: limit) }
            bytes.append(contentsOf: part.readableBytesView)
        }
        let (file, table) = (bytes, query["table"])
        // An import may take longer than a server has to end.
        let run = try await cancelWhenGracefulShutdown { [sets] in
            try await contentAnswer(try await sets.importFile(file, format, table: table, into: name, app: app))
        }
        return try Response(run)
    }

    @Sendable private func imports(_ call: KeyCall<RequiredQueryApp>) async throws -> Response {
        let (query, name, app) = (call.query, try call[.contentSet], try call.app())
        let limit = try query.limit()
        let cursor = try query.cursor(ContentImportID.self)
        return try Response(
            try await contentAnswer(try await sets.runs(of: name, app: app, before: cursor, limit: limit))
        )
    }

    @Sendable private func rows(_ call: AppCall) async throws -> Response {
        let (query, name, app) = (call.query, try call[.contentSet], call.app)
        let wanted = try ContentQuery(query)
        let table = query["table"]
        let page = try await contentAnswer(try await sets.page(wanted, table: table, of: name, app: app))
        return Response(status: .ok, json: page.json)
    }
}

extension ContentPage {
    /// The page as an answer; rows are JSON texts already.
    fileprivate var json: ByteBuffer {
        var buffer = ByteBuffer(string: "{\"items\":[")
        for (index, item) in items.enumerated() {
            buffer.writeString(index == 0 ? "{" : ",{")
            if let distance = item.distance {
                buffer.writeString("\"distance\":\(Double(Int64((distance * 10).rounded())) / 10),")
            }
            buffer.writeString("\"row\":\(item.document)}")
        }
        buffer.writeString("]")
        if let next { buffer.writeString(",\"nextCursor\":\"\(next)\"") }
        buffer.writeString("}")
        return buffer
    }
}
