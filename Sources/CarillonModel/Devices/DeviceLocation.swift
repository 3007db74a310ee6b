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

    enum CodingKeys: String, CodingKey, CaseIterable {
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
        guard (-90...90).contains(latitude) else { throw fields.failure(.latitude, "must be -90 through 90") }
        guard (-180...180).contains(longitude) else { throw fields.failure(.longitude, "must be -180 through 180") }
    }
}
