public import CarillonModel

/// A Device that gets test messages of an App: a phone of somebody in the team.
public struct TestDevice: Hashable, Sendable, Codable {
    /// Maximum number of test Devices of an App.
    public static let maximumCount = 200
    /// Lengths of ``name`` and ``owner``.
    static let lengths = 1...64

    /// The Device.
    public var device: DeviceID
    /// What the team calls it; 1 through 64 characters.
    public var name: String
    /// Whose it is; 1 through 64 characters.
    public var owner: String?
    /// The Device's User; missing without one.
    public var user: UserID?
    /// The Device's language, as it reported it.
    public var language: String?
    /// The Device's model, as it reported it.
    public var model: String?
    /// Whether the Device has a token for notifications; without one it gets nothing.
    public var hasToken: Bool
    /// When it became a test Device.
    public var addedAt: Timestamp

    /// Creates a test Device; set the other fields individually.
    ///
    /// - Parameters:
    ///   - device: The Device.
    ///   - name: What the team calls it.
    ///   - owner: Whose it is.
    ///   - hasToken: Whether the Device has a token for notifications.
    ///   - addedAt: When it became a test Device.
    public init(device: DeviceID, name: String, owner: String?, hasToken: Bool, addedAt: Timestamp) {
        self.device = device
        self.name = name
        self.owner = owner
        self.hasToken = hasToken
        self.addedAt = addedAt
    }
}

/// The body of `POST /v1/test-devices`: makes a Device a test Device, or renames one.
public struct TestDeviceRequest: Hashable, Sendable, Codable {
    /// The Device.
    public var device: DeviceID
    /// What the team calls it; 1 through 64 characters.
    public var name: String
    /// Whose it is; 1 through 64 characters.
    public var owner: String?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - device: The Device.
    ///   - name: What the team calls it.
    ///   - owner: Whose it is.
    public init(device: DeviceID, name: String, owner: String? = nil) {
        self.device = device
        self.name = name
        self.owner = owner
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case device, name, owner
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        device = try fields.required(.device)
        guard let name = try fields.text(.name, TestDevice.lengths) else { throw fields.failure(.name, "is required") }
        self.name = name
        owner = try fields.text(.owner, TestDevice.lengths)
    }
}
