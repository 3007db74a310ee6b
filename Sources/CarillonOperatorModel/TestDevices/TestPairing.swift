public import CarillonModel

/// The body of `POST /v1/test-pairings`: asks for a code that makes the Device that sends it a test Device.
public struct TestPairingRequest: Hashable, Sendable, Codable {
    /// What the team will call the Device; 1 through 64 characters.
    public var name: String
    /// Whose it is; 1 through 64 characters.
    public var owner: String?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - name: What the team will call the Device.
    ///   - owner: Whose it is.
    public init(name: String, owner: String? = nil) {
        self.name = name
        self.owner = owner
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case name, owner
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let name = try fields.text(.name, TestDevice.lengths) else { throw fields.failure(.name, "is required") }
        self.name = name
        owner = try fields.text(.owner, TestDevice.lengths)
    }
}

/// A code that makes one Device a test Device, once.
public struct TestPairing: Hashable, Sendable, Codable {
    /// How long a code is good.
    package static let lifetime = Duration.seconds(600)
    /// How many wrong codes an App's Devices may send while a code is open; then it is gone.
    package static let maximumAttempts = 10

    /// Eight digits.
    public var code: String
    /// When it ends.
    public var expiresAt: Timestamp

    /// Creates a pairing.
    ///
    /// - Parameters:
    ///   - code: Eight digits.
    ///   - expiresAt: When it ends.
    public init(code: String, expiresAt: Timestamp) {
        self.code = code
        self.expiresAt = expiresAt
    }
}

/// The body of `POST /v1/devices/{device}/test-pairing`.
public struct TestPairingClaim: Hashable, Sendable, Codable {
    /// The code, as somebody typed it: spaces and hyphens do not count.
    public var code: String

    /// Creates a claim.
    ///
    /// - Parameter code: The code.
    public init(code: String) { self.code = code }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case code
    }

    /// Decodes a claim strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        guard let code = try fields.text(.code, 1...32) else { throw fields.failure(.code, "is required") }
        self.code = code
    }

    /// The digits of the code.
    package var digits: String { code.filter { $0.isASCII && $0.isNumber } }
}
