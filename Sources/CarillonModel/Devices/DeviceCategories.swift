/// The groups of a Device, in one dimension or several.
public enum DeviceCategories: Hashable, Sendable {
    /// Category ids, at most 100, each of 1 through 64 characters: `["1", "4"]`.
    case list([String])
    /// Labels by dimension: `{"region": ["Kanto", "Kansai"], "gender": ["women"]}`.
    ///
    /// At most 20 dimensions with at most 100 labels in all; names and labels have 1 through 64 characters.
    case dimensions([String: [String]])

    /// The category of a Device without any: the first one.
    public static let standard = DeviceCategories.list(["1"])
    /// Maximum number of ids in a list, and of labels in all dimensions together.
    public static let maximumCount = 100
    /// Maximum number of dimensions.
    public static let maximumDimensions = 20
    /// Length of an id, a dimension's name or a label in characters.
    public static let lengths = 1...64
}

extension DeviceCategories: Codable {
    /// Decodes an array of ids, or an object of arrays of labels.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        if (try? decoder.unkeyedContainer()) != nil {
            self = .list(try decoder.singleValueContainer().decode([String].self))
        } else {
            self = .dimensions(try decoder.singleValueContainer().decode([String: [String]].self))
        }
        try validate(at: FieldError.path(decoder.codingPath))
    }

    /// Checks counts and lengths.
    ///
    /// - Parameter path: The path of the categories.
    /// - Throws: ``FieldError`` naming the label or dimension.
    package func validate(at path: String = "categories") throws(FieldError) {
        switch self {
        case .list(let ids): try Self.validate(ids, path)
        case .dimensions(let dimensions):
            guard dimensions.count <= Self.maximumDimensions else {
                throw FieldError(field: path, problem: "must have at most \(Self.maximumDimensions) dimensions")
            }
            for name in Array(dimensions.keys).inOrder() {
                guard Self.isLabel(name) else {
                    throw FieldError(field: path, problem: "must have names of 1 through 64 characters")
                }
                try Self.validate(dimensions[name] ?? [], path + "." + name)
            }
            guard dimensions.values.reduce(0, { $0 + $1.count }) <= Self.maximumCount else {
                throw FieldError(field: path, problem: "must have at most \(Self.maximumCount) labels in all")
            }
        }
    }

    /// Encodes the array or the object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .list(let ids): try container.encode(ids)
        case .dimensions(let dimensions): try container.encode(dimensions)
        }
    }

    private static func validate(_ labels: [String], _ path: String) throws(FieldError) {
        guard labels.count <= maximumCount else {
            throw FieldError(field: path, problem: "must list at most \(maximumCount)")
        }
        if let index = labels.firstIndex(where: { !isLabel($0) }) {
            throw FieldError(
                field: "\(path).\(index)",
                problem: "must have 1 through 64 characters and no control characters"
            )
        }
    }

    private static func isLabel(_ text: String) -> Bool {
        TextLimit(lengths).problem(of: text, allowsLineBreaks: false) == nil
    }
}
