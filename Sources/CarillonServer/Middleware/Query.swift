import CarillonModel
import Hummingbird

/// The query of a request, whose names its route has checked.
struct Query {
    private let values: [String: String]

    init(_ request: Request) {
        values = Dictionary(
            request.uri.queryParameters.map { (String($0.key), String($0.value)) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// Checks the names of a query.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - known: All names that it may have.
    /// - Throws: 422 for unknown and duplicate names, all at once.
    static func check(_ request: Request, _ known: [String]) throws(Problem) {
        guard request.uri.query?.isEmpty == false else { return }
        var seen: Set<String> = []
        var errors: [FieldError] = []
        for (name, _) in request.uri.queryParameters where errors.count < FieldErrors.maximumCount {
            let name = String(name)
            let isNew = seen.insert(name).inserted
            if !known.contains(name) {
                guard isNew else { continue }
                errors.append(FieldError(field: String(name.prefix(64)), problem: unknownName(known)))
            } else if !isNew, !errors.contains(where: { $0.field == name }) {
                errors.append(FieldError(field: name, problem: "must come once"))
            }
        }
        if !errors.isEmpty { throw Problem.invalidFields(errors) }
    }

    private static func unknownName(_ known: [String]) -> String {
        let names = known.isEmpty ? "none" : known.joined(separator: ", ")
        return "is not a query parameter of this operation, which has \(names)"
    }

    subscript(_ name: String) -> String? { values[name] }

    /// Maximum number of rows in a page: 1 through 200, 50 when missing, for all lists.
    func limit() throws -> Int {
        let range = 1...200
        guard let text = values["limit"] else { return 50 }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let limit = Int(text), range.contains(limit) else {
            throw Problem.invalidField(
                FieldError(field: "limit", problem: "must be \(range.lowerBound) through \(range.upperBound)")
            )
        }
        return limit
    }

    /// The id after which a page begins.
    func cursor<ID: TimeOrderedID>(_: ID.Type = ID.self) throws -> ID? {
        guard let text = values["cursor"] else { return nil }
        guard let id = ID(text) else { throw Self.wrongCursor }
        return id
    }

    /// The App that the query names.
    func app() throws -> AppID? {
        guard let text = values["app"] else { return nil }
        guard let id = AppID(text) else {
            throw Problem.invalidField(FieldError(field: "app", problem: "must be app_ and 12 base-32 characters"))
        }
        return id
    }

    static let wrongCursor = Problem.invalidField(
        FieldError(field: "cursor", problem: "must be the nextCursor of a page")
    )
}
