public import CarillonModel

/// A label of categories, defined by an operator or only reported by Devices.
public struct CategoryLabel: Hashable, Sendable, Codable {
    /// Maximum number of labels of an App, including undefined ones.
    ///
    /// Further reported labels are stored with the Device, but not listed, and audiences cannot use them.
    public static let maximumCount = 10_000
    /// Maximum number of counted Devices of a label.
    public static let countLimit = 10_000

    /// Its dimension; missing for labels of one-dimensional categories.
    public var dimension: String?
    /// The label, as Devices report it.
    public var label: String
    /// The operator's title for it.
    public var title: String?
    /// False when Devices reported it and nobody defined it.
    public var isDefined: Bool
    /// Number of Devices that reported it, counted up to 10,000.
    public var devices: Int
    /// When it was first defined or reported.
    public var createdAt: Timestamp

    /// Creates a label.
    ///
    /// - Parameters:
    ///   - name: Its dimension and text.
    ///   - title: The operator's title for it.
    ///   - isDefined: Whether an operator defined it.
    ///   - devices: Number of Devices that reported it.
    ///   - createdAt: When it was first defined or reported.
    public init(name: CategoryName, title: String?, isDefined: Bool, devices: Int, createdAt: Timestamp) {
        dimension = name.dimension.isEmpty ? nil : name.dimension
        label = name.label
        self.title = title
        self.isDefined = isDefined
        self.devices = devices
        self.createdAt = createdAt
    }
}

/// The body of `POST /v1/categories`: defines a label, or changes the title of a defined one.
public struct CategoryRequest: Hashable, Sendable, Codable {
    /// 1 through 64 characters; missing for one-dimensional categories.
    public var dimension: String?
    /// 1 through 64 characters.
    public var label: String
    /// 1 through 100 characters; none when missing.
    public var title: String?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - dimension: The dimension; `nil` for one-dimensional categories.
    ///   - label: The label.
    ///   - title: The operator's title for it.
    public init(dimension: String? = nil, label: String, title: String? = nil) {
        self.dimension = dimension
        self.label = label
        self.title = title
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case dimension, label, title
    }

    /// Decodes a request strictly.
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

    /// Its dimension and text.
    public var name: CategoryName { CategoryName(dimension: dimension ?? "", label: label) }
}
