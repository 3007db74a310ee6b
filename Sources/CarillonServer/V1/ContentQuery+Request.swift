import CarillonContentSets
import CarillonModel
import Foundation

extension ContentQuery {
    /// Reads the query of a request for rows.
    ///
    /// - Throws: ``Problem`` with all values that cannot be read; what does not fit the table is found later.
    init(_ query: Query) throws {
        self.init()
        var errors: [FieldError] = []
        words = query["words"]
        limit = try query.limit()
        if let text = query["cursor"] {
            guard let cursor = ContentCursor(text) else { throw Query.wrongCursor }
            part = .after(cursor)
        }
        readPlace(query, &errors)
        readTimes(query, &errors)
        readEqualities(query, &errors)
        if !errors.isEmpty { throw Problem.invalidFields(errors) }
    }

    private mutating func readPlace(_ query: Query, _ errors: inout [FieldError]) {
        let radius = query["radius"].map(Double.init)
        if case .some(nil) = radius {
            errors.append(FieldError(field: "radius", problem: "must be a number of metres"))
        }
        guard let text = query["near"] else {
            if radius != nil { errors.append(FieldError(field: "near", problem: "is required with radius")) }
            return
        }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
            let place = ContentPosition(latitude: latitude, longitude: longitude)
        else {
            return errors.append(
                FieldError(
                    field: "near",
                    problem: "must be a latitude and a longitude in degrees, such as 22.62,120.30"
                )
            )
        }
        near = Near(place, radius: (radius ?? nil) ?? Near.defaultRadius)
    }

    private mutating func readTimes(_ query: Query, _ errors: inout [FieldError]) {
        var bounds: [String: Timestamp] = [:]
        for name in ["from", "until"] {
            guard let text = query[name] else { continue }
            bounds[name] = Timestamp(text)
            if bounds[name] == nil {
                errors.append(FieldError(field: name, problem: "must be an RFC 3339 time from 1970 through 9999"))
            }
        }
        guard let field = query["time"] else {
            if ["ending", "from", "until"].contains(where: { query[$0] != nil }) {
                errors.append(FieldError(field: "time", problem: "is required with ending, from and until"))
            }
            return
        }
        times = Times(field: field, end: query["ending"], from: bounds["from"], until: bounds["until"])
    }

    private mutating func readEqualities(_ query: Query, _ errors: inout [FieldError]) {
        guard let text = query["where"] else { return }
        let values = try? JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
        guard let equalities = values.flatMap(Equality.all) else {
            return errors.append(
                FieldError(
                    field: "where",
                    problem: "must be a JSON object of fields, each with a text, integer, boolean, or an array of those"
                )
            )
        }
        self.equalities = equalities
    }
}
