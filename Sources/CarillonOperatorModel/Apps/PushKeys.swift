public import CarillonModel

/// The body of `PUT /v1/apps/{app}/push-key`: a push key of the team.
public struct PushKeyRequest: Hashable, Sendable, Codable {
    /// Ten letters and digits.
    public var keyID: String
    /// Ten letters and digits.
    public var teamID: String
    /// The `.p8` file's text: a P-256 private key in PEM, at most 4,096 characters.
    ///
    /// It is stored encrypted and never returned.
    public var privateKey: String

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - keyID: The key's id, ten letters and digits.
    ///   - teamID: The team's id, ten letters and digits.
    ///   - privateKey: The `.p8` file's text.
    public init(keyID: String, teamID: String, privateKey: String) {
        self.keyID = keyID
        self.teamID = teamID
        self.privateKey = privateKey
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case keyID, teamID, privateKey
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        keyID = try fields.appleID(.keyID)
        teamID = try fields.appleID(.teamID)
        guard let key = try fields.text(.privateKey, 1...4_096) else {
            throw fields.failure(.privateKey, "is required")
        }
        privateKey = key
    }
}

/// The push key of an App: the response of `GET /v1/apps/{app}/push-key`.
public struct PushKey: Hashable, Sendable, Codable {
    /// The key's id at Apple, ten letters and digits.
    public var keyID: String
    /// The team's id.
    public var teamID: String
    /// The bundle id of the app.
    public var topic: String
    /// When it was set.
    public var updatedAt: Timestamp
    /// Whether it expires: never, unlike a certificate.
    ///
    /// It is valid until it is revoked at Apple.
    public var expires: Bool

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - keyID: The key's id at Apple.
    ///   - teamID: The team's id.
    ///   - topic: The bundle id of the app.
    ///   - updatedAt: When it was set.
    public init(keyID: String, teamID: String, topic: String, updatedAt: Timestamp) {
        self.keyID = keyID
        self.teamID = teamID
        self.topic = topic
        self.updatedAt = updatedAt
        expires = false
    }
}

extension Fields {
    fileprivate func appleID(_ key: Key) throws -> String {
        guard let id = try text(key, 10...10), id.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) else {
            throw failure(key, "must be ten letters and digits")
        }
        return id
    }
}
