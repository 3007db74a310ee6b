package import CarillonContentSets
package import CarillonModel
package import CarillonOperatorModel
import Foundation

/// Who follows what, as a back end or an operator writes it.
package struct ContentFollowRequest: Hashable, Sendable {
    /// A User, or else ``audience``; neither when it is the User of the Device that asks.
    package var user: UserID?
    package var audience: Audience?
    /// The table; `nil` for the only one.
    package var table: String?
    package var query = ContentFollowQuery()
    package var isBundled = false

    package init() {}
}

extension ContentFollowRequest: Decodable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case user, audience, table, `where`, near, radius, words, isBundled
    }

    private struct Point: Decodable {
        enum CodingKeys: String, CodingKey, CaseIterable { case latitude, longitude }

        var place: ContentPosition

        init(from decoder: any Decoder) throws {
            let fields = try Fields<CodingKeys>(decoder)
            let latitude: Double = try fields.required(.latitude)
            let longitude: Double = try fields.required(.longitude)
            guard let place = ContentPosition(latitude: latitude, longitude: longitude) else {
                throw fields.failure(.latitude, "must be -90 through 90, and longitude -180 through 180")
            }
            self.place = place
        }
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    package init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        self.init()
        user = try fields.optional(.user)
        audience = try fields.optional(.audience)
        table = try fields.text(.table, 1...64)
        isBundled = try fields.optional(.isBundled) ?? false
        guard !isBundled || audience == nil else { throw fields.failure(.isBundled, "must be false for an audience") }
        query.words = try fields.text(.words, ContentQuery.wordsLength)
        let radius: Double? = try fields.optional(.radius)
        if let point: Point = try fields.optional(.near) {
            query.near = .init(place: point.place, radius: radius ?? ContentQuery.Near.defaultRadius)
        } else if radius != nil {
            throw fields.failure(.near, "is required with radius")
        }
        let values: [String: JSONValue] = try fields.optional(.where) ?? [:]
        guard let equalities = ContentQuery.Equality.all(values) else {
            throw fields.failure(.where, "must have a text, an integer, a boolean or an array of those a field")
        }
        query.equalities = equalities
    }
}
