import CarillonModel
import Hummingbird

/// The query of a request, parsed strictly: an unknown or duplicate name is an error.
struct Query {
    private let values: [String: String]

    init(_ request: Request, _ known: String...) throws { try self.init(request, known) }

    init(_ request: Request, _ known: [String]) throws {
        var values: [String: String] = [:]
        for (name, value) in request.uri.queryParameters {
            let name = String(name)
            guard known.contains(name) else {
                throw Problem.invalidField(
                    FieldError(field: String(name.prefix(64)), problem: "is not a known query parameter")
                )
            }
            guard values.updateValue(String(value), forKey: name) == nil else {
                throw Problem.invalidField(FieldError(field: name, problem: "must come once"))
            }
        }
        self.values = values
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
