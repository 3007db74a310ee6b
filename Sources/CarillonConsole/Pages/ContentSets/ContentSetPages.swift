import CarillonContentJobs
import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation

/// The pages of an App's content sets.
struct ContentSetPages: Sendable {
    /// The services of content sets, which are not the engine's.
    let content: ContentServices

    static let list = "/apps/{app}/content-sets"
    static let one = list + "/{set}"

    /// Rows of lists.
    static let pageSize = 50

    func declare(_ routes: inout ConsoleRoutes) {
        routes.page(Self.list, .app(.viewer)) { visit in
            let after = visit.query["after"].flatMap { ContentName.isSetName($0) ? $0 : nil }
            let app = try visit.app.id
            let sets = try await contentAnswer(
                try await content.sets.list(app: app, after: after, limit: Self.pageSize)
            )
            return .page(ContentSetsView(sets, after: after, of: app, mayChange: visit.may(.admin), visit.look))
        }
        declareDefinitions(&routes)
        routes.page(Self.one, .app(.viewer)) { visit in .page(try await detail(visit)) }
        declareRows(&routes)
        declareSources(&routes)
        declareUpload(&routes)
        declareAlerts(&routes)
        declareFollows(&routes)
    }

    /// The set of the path.
    func set(_ visit: Visit) async throws -> ContentSet {
        let (app, name) = (try visit.app.id, try visit.parameter("set") { ContentName.isSetName($0) ? $0 : nil })
        return try await contentAnswer(try await content.sets.set(name, app: app))
    }

    /// Notes what was done to a part of a set in the audit log.
    static func note(_ visit: Visit, _ set: String, _ part: String? = nil, _ change: String? = nil) {
        let name = [set, part].compactMap(\.self).joined(separator: "/")
        visit.audit.note(object: "content-set:" + name, change: change)
    }

    /// What is wrong with a form, with the service's own words: they name what no catalogue can.
    static func problems(_ visit: Visit, _ errors: [FieldError], field: String? = nil) -> FormProblems {
        FormProblems(
            errors.map { error in
                let detail = field == nil ? error.problem : "\(error.field) \(error.problem)"
                return FieldProblem(field ?? error.field, visit.texts("contentSets.refused", ["detail": detail]))
            }
        )
    }

    /// Does what a form says; what the service refuses stands at its field.
    ///
    /// - Parameters:
    ///   - visit: The request.
    ///   - field: The field of all problems; `nil` for the fields that they name.
    ///   - body: Asks the service.
    /// - Returns: Its answer.
    /// - Throws: ``FormProblems`` for what is wrong with fields, or the engine's error.
    static func asking<Value>(
        _ visit: Visit,
        field: String? = nil,
        _ body: () async throws(ContentSetError) -> Value
    ) async throws -> Value {
        do throws(ContentSetError) {
            return try await body()
        } catch {
            switch error {
            case .invalid(let errors): throw problems(visit, errors, field: field)
            case .conflict(let detail):
                throw FormProblems(field, visit.texts("contentSets.refused", ["detail": detail]))
            default: throw EngineError(error)
            }
        }
    }

    /// Reads a request from the values of a form, as V1 reads it from JSON.
    static func decode<Value: Decodable>(_ visit: Visit, _ members: [String: JSONValue]) throws -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(members))
        } catch let error as FieldError {
            throw problems(visit, [error])
        } catch let error as DecodingError {
            throw FormProblems(error.fieldName, visit.texts("problem.other"))
        }
    }
}

extension DecodingError {
    /// The member that cannot be read.
    fileprivate var fieldName: String? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath.first?.stringValue
        case .keyNotFound(let key, _): key.stringValue
        @unknown default: nil
        }
    }
}

extension AppPath {
    var contentSets: String { home + "/content-sets" }

    func contentSet(_ name: String) -> String { contentSets + "/" + FormFields.escaped(name) }
}
