public import CarillonModel

/// A rented service whose REST calls the server answers for an App that turns them on.
public enum VendorAPI: String, Hashable, Sendable, Codable, CaseIterable {
    /// TOAST Push (NHN Cloud Push): an app key in the path, a secret key for calls of a back end.
    case toast
    /// CORE PUSH: a config key in each call; calls of a back end need a secret as well, which the vendor does not have.
    case corepush
    /// COIMOTION: an app code in the host or the path, and an app key in each call; it has no secret.
    case coimotion
}

/// A vendor API that an App has turned on: a row of `GET /v1/apps/{app}/vendor-apis`.
public struct VendorAPIRecord: Hashable, Sendable, Codable {
    /// The API.
    public var api: VendorAPI
    /// Whether it has a secret.
    public var hasSecret: Bool
    /// When its key and secret were set.
    public var updatedAt: Timestamp
    /// The settings of `coimotion`; missing for the others.
    public var coimotion: CoimotionSettings?

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - api: The API.
    ///   - hasSecret: Whether it has a secret.
    ///   - updatedAt: When its key and secret were set.
    ///   - coimotion: The settings of `coimotion`.
    public init(api: VendorAPI, hasSecret: Bool, updatedAt: Timestamp, coimotion: CoimotionSettings? = nil) {
        self.api = api
        self.hasSecret = hasSecret
        self.updatedAt = updatedAt
        self.coimotion = coimotion
    }
}

/// The answer of a list of vendor APIs, which is never longer than there are APIs.
public struct VendorAPIList: Hashable, Sendable, Codable {
    /// The APIs that are on.
    public var vendorAPIs: [VendorAPIRecord]

    /// Creates a list.
    ///
    /// - Parameter vendorAPIs: The APIs that are on.
    public init(vendorAPIs: [VendorAPIRecord]) { self.vendorAPIs = vendorAPIs }
}

/// The body of `PUT /v1/apps/{app}/vendor-apis/{api}`: the vendor's own key and secret.
///
/// A missing one is generated; but an API that is on keeps its key.
public struct VendorAPIRequest: Hashable, Sendable, Codable {
    /// Range of a key's length in characters.
    public static let keyLengths = 8...64
    /// Range of a secret's length in characters.
    public static let secretLengths = 8...64

    /// The key that apps and back ends send: 8 through 64 letters, digits, hyphens and underscores; when missing
    /// generated, or kept by an API that is on.
    public var key: String?
    /// The secret that the back end sends: 8 through 64 letters and digits; generated when missing.
    ///
    /// `coimotion` has none.
    public var secret: String?
    /// The settings of `coimotion`, which an API that is on keeps when they are missing; none of the others has them.
    public var coimotion: CoimotionSettings?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - key: The key; `nil` generates one, or keeps the one of an API that is on.
    ///   - secret: The secret; `nil` generates one.
    ///   - coimotion: The settings of `coimotion`; `nil` keeps those of an API that is on.
    public init(key: String? = nil, secret: String? = nil, coimotion: CoimotionSettings? = nil) {
        self.key = key
        self.secret = secret
        self.coimotion = coimotion
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case key, secret, coimotion
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        key = try fields.text(.key, Self.keyLengths)
        secret = try fields.text(.secret, Self.secretLengths)
        if let key, !key.utf8.allSatisfy({ $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }) {
            throw fields.failure(.key, "must be letters, digits, hyphens and underscores")
        }
        if let secret, !secret.utf8.allSatisfy(\.isLetterOrDigit) {
            throw fields.failure(.secret, "must be letters and digits")
        }
        coimotion = try fields.optional(.coimotion)
    }
}

/// The answer to `PUT /v1/apps/{app}/vendor-apis/{api}`, with what was generated: that is returned only once.
public struct VendorAPISecrets: Hashable, Sendable, Codable {
    /// The API.
    public var vendorAPI: VendorAPIRecord
    /// The generated key; missing when the request had one.
    public var key: String?
    /// The generated secret; missing when the request had one.
    public var secret: String?

    /// Creates the answer.
    ///
    /// - Parameters:
    ///   - vendorAPI: The API.
    ///   - key: The generated key.
    ///   - secret: The generated secret.
    public init(vendorAPI: VendorAPIRecord, key: String?, secret: String?) {
        self.vendorAPI = vendorAPI
        self.key = key
        self.secret = secret
    }
}
