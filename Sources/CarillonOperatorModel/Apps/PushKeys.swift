public import CarillonModel

/// The body of `PUT /v1/apps/{app}/push-key`: the key that Apple made for the team.
public struct PushKeyRequest: Hashable, Sendable, Codable {
    /// Ten letters and digits.
    public var keyID: String
    /// Ten letters and digits.
    public var teamID: String
    /// The `.p8` file's text: a P-256 private key in PEM, at most 4,096 characters.
    ///
    /// It is stored encrypted and never
    /// shown again.
    public var privateKey: String

    /// Makes a request.
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

    /// Reads a request strictly.
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

/// Which key an App sends with: the answer of `GET /v1/apps/{app}/push-key`.
public struct PushKey: Hashable, Sendable, Codable {
    /// Ten letters and digits, by which Apple knows the key.
    public var keyID: String
    /// The team's.
    public var teamID: String
    /// The bundle id that it sends for.
    public var topic: String
    /// When it was taken.
    public var updatedAt: Timestamp
    /// Whether it ends by itself: never, unlike a certificate.
    ///
    /// It holds until it is revoked at Apple.
    public var expires: Bool

    /// Makes a record.
    ///
    /// - Parameters:
    ///   - keyID: By which Apple knows the key.
    ///   - teamID: The team's.
    ///   - topic: The bundle id that it sends for.
    ///   - updatedAt: When it was taken.
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
