public import CarillonModel

/// A label of categories: one that Devices are in, defined by an operator or not.
public struct CategoryLabel: Hashable, Sendable, Codable {
    /// The most labels of an App, those that nobody defined included.
    ///
    /// What Devices tell beyond it is kept with the Device, but not listed, and nobody can be picked by it.
    public static let maximumCount = 10_000
    /// How far Devices of a label are counted.
    public static let countLimit = 10_000

    /// Its dimension; missing for labels of one-dimensional categories.
    public var dimension: String?
    /// The label, as Devices tell it.
    public var label: String
    /// What an operator calls it.
    public var title: String?
    /// False when Devices told it and nobody defined it.
    public var isDefined: Bool
    /// How many Devices told it, counted up to 10,000.
    public var devices: Int
    /// When it was defined or told first.
    public var createdAt: Timestamp

    /// Makes a label.
    ///
    /// - Parameters:
    ///   - name: Which.
    ///   - title: What an operator calls it.
    ///   - isDefined: Whether an operator defined it.
    ///   - devices: How many Devices told it.
    ///   - createdAt: When it was defined or told first.
    public init(name: CategoryName, title: String?, isDefined: Bool, devices: Int, createdAt: Timestamp) {
        dimension = name.dimension.isEmpty ? nil : name.dimension
        label = name.label
        self.title = title
        self.isDefined = isDefined
        self.devices = devices
        self.createdAt = createdAt
    }
}

/// The body of `POST /v1/apps/{app}/categories`: defines a label, or gives a defined one another title.
public struct CategoryRequest: Hashable, Sendable, Codable {
    /// 1 through 64 characters; missing for one-dimensional categories.
    public var dimension: String?
    /// 1 through 64 characters.
    public var label: String
    /// 1 through 100 characters; missing: the label speaks for itself.
    public var title: String?

    /// Makes a request.
    ///
    /// - Parameters:
    ///   - dimension: The dimension; `nil` for one-dimensional categories.
    ///   - label: The label.
    ///   - title: What operators call it.
    public init(dimension: String? = nil, label: String, title: String? = nil) {
        self.dimension = dimension
        self.label = label
        self.title = title
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case dimension, label, title
    }

    /// Reads a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        dimension = try fields.text(.dimension, DeviceCategories.lengths)
        guard let label = try fields.text(.label, DeviceCategories.lengths) else {
            throw fields.failure(.label, "is required")
        }
        self.label = label
        title = try fields.text(.title, 1...100)
    }

    /// Which label it is.
    public var name: CategoryName { CategoryName(dimension: dimension ?? "", label: label) }
}
