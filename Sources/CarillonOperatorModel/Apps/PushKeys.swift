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
    /// Whether the key in use stays until a check finds that APNs accepts this one; false when missing.
    ///
    /// An App without a key uses it at once.
    public var whenHealthy = false
    /// The file's name at Apple, `AuthKey_ABC123DEFG.p8`, which has the key's id: a check compares it.
    public var fileName: String?

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
        case keyID, teamID, privateKey, whenHealthy, fileName
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        keyID = try fields.appleID(.keyID, "the key's id, in the name of Apple's file, as in AuthKey_ABC123DEFG.p8")
        teamID = try fields.appleID(.teamID, "the team's id, in Apple's developer account under Membership details")
        guard let key: String = try fields.optional(.privateKey) else {
            throw fields.failure(.privateKey, "is required: \(PushKeyText.advice)")
        }
        if let problem = PushKeyText.problem(of: key) { throw fields.failure(.privateKey, problem) }
        privateKey = key
        whenHealthy = try fields.optional(.whenHealthy) ?? false
        fileName = try fields.text(.fileName, 1...200)
        guard keyID != teamID else { throw fields.failure(.teamID, "must be the team's id, and is the key's") }
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
    /// The SHA-256 of the public key, in hexadecimal; missing when the server cannot open the key.
    public var fingerprint: String?
    /// The Operator or the API key that added it; missing when it was not recorded.
    public var addedBy: String?
    /// When the last provider token was signed with it; missing when none was.
    public var lastUsedAt: Timestamp?
    /// The last check.
    public var check: PushKeyCheck?
    /// A key that replaces it once APNs accepts that one.
    public var candidate: PushKeyCandidate?

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

extension PushKey {
    /// The team of the keys that the server makes for Apps without one of Apple: what they send goes to the simulated APNs
    /// inside the server, and never to Apple.
    public static let simulatorTeamID = "SIMULATOR0"
    /// The id of such a key.
    public static let simulatorKeyID = "SIMULATOR1"
}

/// The text of a push key, as far as it can be judged without cryptography.
package enum PushKeyText {
    /// What to do about a text that is not one.
    package static let advice =
        "send the whole text of AuthKey_….p8, which Apple's developer account offers once, under Keys"

    private static let limit = TextLimit(1...4_096)
    private static let begin = "-----BEGIN PRIVATE KEY-----"
    private static let end = "-----END PRIVATE KEY-----"

    /// Beginnings of other files, and what they are.
    private static let others = [
        ("-----BEGIN CERTIFICATE", "is a certificate, or a request for one, not a key"),
        ("-----BEGIN PUBLIC KEY", "is a public key"), ("-----BEGIN RSA", "is an RSA key, not one of P-256"),
        ("-----BEGIN ENCRYPTED", "is encrypted with a passphrase, which Apple's file is not"),
        ("-----BEGIN OPENSSH", "is a key for SSH"), ("<?xml", "is a property list or profile, not a key"),
    ]

    /// What is wrong with a text, and what to do; `nil` when it may be a private key in PEM.
    package static func problem(of text: String) -> String? {
        // A key of another tool may be in the form of SEC 1.
        let isSEC1 = text.contains("-----BEGIN EC PRIVATE KEY-----")
        if !isSEC1, let problem = otherFile(text) { return problem + ": " + advice }
        return limit.problem(of: text)
    }

    private static func otherFile(_ text: String) -> String? {
        let trimmed = text.drop { $0.isWhitespace }
        if trimmed.isEmpty { return "is empty" }
        if text.unicodeScalars.contains(where: { $0 == "\u{FFFD}" || $0 == "\0" }) {
            return "is not a text file; files such as .p12 and .cer are certificates, not push keys"
        }
        if let other = others.first(where: { text.contains($0.0) }) { return other.1 }
        guard let start = text.firstRange(of: begin) else {
            return trimmed.count < 300 && text.contains(".p8")
                ? "is the name of a file, not its text" : "has no line \(begin)"
        }
        guard text.firstRange(of: end) != nil else { return "is cut off, without a line \(end)" }
        guard text[start.upperBound...].first?.isNewline == true else {
            return "has lost its line breaks, which are \\n in JSON"
        }
        return nil
    }
}

extension Fields {
    /// Reads an id that Apple assigned.
    fileprivate func appleID(_ key: Key, _ place: String) throws -> String {
        let form = "ten capital letters and digits"
        guard let id: String = try optional(key) else { throw failure(key, "is required: \(form), \(place)") }
        let isPlain = id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        let fault =
            if id.count != 10 {
                "has \(id.count) characters"
            } else if !isPlain {
                "has other characters"
            } else if id.contains(where: \.isLowercase) {
                "has small letters"
            } else { "" }
        guard fault.isEmpty else { throw failure(key, "must be \(form), and \(fault): \(place)") }
        return id
    }
}
