import CarillonModel

/// Where the server fetches a content set's data and how often, as an operator writes it.
package struct ContentSourceRequest: Hashable, Sendable {
    package var format: ContentSourceFormat
    /// The address; for TDX that of its bus API, ``tdxAddress`` when missing.
    package var url: String?
    /// The city of TDX as its paths have it, such as `Kaohsiung`.
    package var city: String?
    /// The table that a file of one table fills; `nil` for the only one.
    package var table: String?
    /// Seconds between two fetches; the format bounds them.
    package var interval: Int
    /// False fetches nothing until it is true again.
    package var isActive = true
    /// What TDX knows the server by.
    package var clientID: String?
    /// Write-only; when missing, the stored one stays for the same client and addresses.
    package var clientSecret: String?
    /// Where TDX issues access tokens, ``tdxTokenAddress`` when missing.
    package var tokenURL: String?

    package static let tdxAddress = "https://tdx.transportdata.tw/api/basic/v2/Bus"
    package static let tdxTokenAddress =
        "https://tdx.transportdata.tw/auth/realms/TDXConnect/protocol/openid-connect/token"
    package static let urlLength = 1...2_000

    /// Why a stored secret is not used for a changed request: whoever may change one could send the secret anywhere.
    package static let secretProblem = "is required with clientID, and again when clientID, url or tokenURL changes"

    /// Whether a secret goes to the same addresses for the same client as that of another request.
    package func sendsSecret(as other: ContentSourceRequest) -> Bool {
        clientID != nil && clientID == other.clientID && dataAddress == other.dataAddress
            && tokenAddress == other.tokenAddress
    }

    /// The address of TDX's bus API.
    package var dataAddress: String { url ?? Self.tdxAddress }

    /// Where TDX issues access tokens.
    package var tokenAddress: String { tokenURL ?? Self.tdxTokenAddress }

    package init(_ format: ContentSourceFormat, url: String? = nil) {
        self.format = format
        self.url = url
        interval = format.usualInterval
    }
}

extension ContentSourceRequest: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case format, url, city, table, interval, isActive, clientID, clientSecret, tokenURL
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    package init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        self.init(try fields.required(.format))
        url = try fields.text(.url, Self.urlLength)
        city = try fields.text(.city, 1...40)
        table = try fields.text(.table, 1...64)
        interval = try fields.integer(.interval, format.intervals) ?? format.usualInterval
        isActive = try fields.optional(.isActive) ?? true
        clientID = try fields.text(.clientID, 1...200)
        clientSecret = try fields.text(.clientSecret, 1...500)
        tokenURL = try fields.text(.tokenURL, Self.urlLength)
        try checkMembers(fields)
    }

    private func checkMembers(_ fields: Fields<CodingKeys>) throws(FieldError) {
        if table != nil, format.file?.fillsOneTable != true {
            throw fields.failure(.table, "must be missing: \(format.rawValue) fills tables of its own")
        }
        guard format.isTDX else {
            guard url != nil else { throw fields.failure(.url, "is required") }
            let extra: [(CodingKeys, Bool)] = [
                (.city, city != nil), (.clientID, clientID != nil), (.clientSecret, clientSecret != nil),
                (.tokenURL, tokenURL != nil),
            ]
            if let key = extra.first(where: \.1)?.0 {
                throw fields.failure(key, "must be missing: the format is \(format.rawValue)")
            }
            return
        }
        guard let city, city.utf8.allSatisfy(Self.isLetter) else {
            throw fields.failure(.city, "must be a city as TDX writes it, such as Kaohsiung")
        }
        guard clientSecret == nil || clientID != nil else { throw fields.failure(.clientID, "is required") }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    /// Writes the request without its secret: so it is stored, and answers have it.
    package func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(format, forKey: .format)
        try fields.encodeIfPresent(url, forKey: .url)
        try fields.encodeIfPresent(city, forKey: .city)
        try fields.encodeIfPresent(table, forKey: .table)
        try fields.encode(interval, forKey: .interval)
        try fields.encode(isActive, forKey: .isActive)
        try fields.encodeIfPresent(clientID, forKey: .clientID)
        try fields.encodeIfPresent(tokenURL, forKey: .tokenURL)
    }
}
