/// The location of a phone at a time.
public struct DeviceLocation: Hashable, Sendable, Codable {
    /// Degrees north, -90 through 90.
    public var latitude: Double
    /// Degrees east, -180 through 180.
    public var longitude: Double
    /// The time, by the phone's clock.
    public var at: Timestamp

    /// Creates a location.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north, -90 through 90.
    ///   - longitude: Degrees east, -180 through 180.
    ///   - at: The time, by the phone's clock.
    public init(latitude: Double, longitude: Double, at: Timestamp) {
        self.latitude = latitude
        self.longitude = longitude
        self.at = at
    }

    enum CodingKeys: CodingKey {
        case latitude, longitude, at
    }

    /// Decodes a location strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        latitude = try fields.required(.latitude)
        longitude = try fields.required(.longitude)
        at = try fields.required(.at)
        try validate(at: FieldError.path(decoder.codingPath))
    }

    /// Checks the coordinates.
    ///
    /// - Parameter path: The path of the location; empty when it is the body.
    /// - Throws: ``FieldError`` naming the coordinate.
    package func validate(at path: String = "location") throws(FieldError) {
        func check(_ degrees: Double, _ name: String, _ limit: Int) throws(FieldError) {
            guard !(-Double(limit)...Double(limit)).contains(degrees) else { return }
            let field = path.isEmpty ? name : path + "." + name
            throw FieldError(field: field, problem: "must be -\(limit) through \(limit)")
        }
        try check(latitude, "latitude", 90)
        try check(longitude, "longitude", 180)
    }
}
