import CarillonModel

/// A table of a content set: rows of one kind.
package struct ContentTable: Hashable, Sendable {
    /// Its name; unique in the set.
    package var name: String
    /// The field that names a row; a text or an integer.
    package var key: String
    /// The fields by which rows are ordered, before the key.
    package var order: [String]
    package var fields: [ContentField]
    /// Whether people may attach files to its rows.
    package var takesAttachments = false

    /// Maximum number of fields.
    package static let maximumFieldCount = 64
    /// Maximum number of fields by which rows are ordered.
    package static let maximumOrderCount = 4
    /// Maximum number of rows: their numbers have 20 bits.
    package static let maximumRowCount = 1 << 20 - 1

    package init(_ name: String, key: String, order: [String] = [], _ fields: [ContentField]) {
        self.name = name
        self.key = key
        self.order = order
        self.fields = fields
    }

    /// Where a field is; `nil` when there is none of the name.
    package func index(of name: String) -> Int? { fields.firstIndex { $0.name == name } }

    package func field(_ name: String) -> ContentField? { fields.first { $0.name == name } }

    /// The field by which rows are found near a point: the first position.
    package var positionIndex: Int? { fields.firstIndex { $0.type == .position } }
}

extension ContentTable: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, key, order, fields, takesAttachments
    }

    /// Decodes a table strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    package init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        let name: String = try fields.required(.name)
        guard ContentName.isFieldName(name) else { throw fields.failure(.name, ContentName.fieldProblem) }
        let all: [ContentField] = try fields.required(.fields)
        guard (1...Self.maximumFieldCount).contains(all.count) else {
            throw fields.failure(.fields, "must have 1 through \(Self.maximumFieldCount) fields")
        }
        guard Set(all.map { $0.name.lowercased() }).count == all.count else {
            throw fields.failure(.fields, "must have names that differ, also without regard to case")
        }
        guard all.count(where: { $0.type == .position }) <= 1 else {
            throw fields.failure(.fields, "must have at most one position")
        }
        self.init(name, key: try fields.required(.key), order: try fields.optional(.order) ?? [], all)
        guard order.count <= Self.maximumOrderCount, Set(order).count == order.count,
            order.allSatisfy({ field($0)?.type.canBeOrdered == true })
        else {
            throw fields.failure(
                .order,
                "must name up to \(Self.maximumOrderCount) different fields that are no positions, lists or JSON"
            )
        }
        takesAttachments = try fields.optional(.takesAttachments) ?? false
        // At last: a key that is required and wrong has no value to stand for it while other errors are looked for.
        guard let type = field(key)?.type, type == .text || type == .integer else {
            throw fields.failure(.key, "must name a field that is a text or an integer")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(name, forKey: .name)
        try fields.encode(key, forKey: .key)
        try fields.encode(order, forKey: .order)
        try fields.encode(self.fields, forKey: .fields)
        if takesAttachments { try fields.encode(true, forKey: .takesAttachments) }
    }
}
