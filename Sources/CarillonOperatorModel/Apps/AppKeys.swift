public import CarillonModel

/// The secrets of an App that can be rotated.
public enum AppKeyKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// The App key that the app carries; public.
    case appKey
    /// The key with which the customer's back end signs user proofs.
    case identitySecret
    /// The key that proves that an event belongs to a push that was sent; never returned.
    case receiptKey

    /// For how many hours the former key stays valid by default: installed apps update slowly, a user proof is valid
    /// for a day at most, and events refer to pushes of the last month.
    public var standardOverlapHours: Int {
        switch self {
        case .appKey, .receiptKey: 720
        case .identitySecret: 24
        }
    }
}

/// A key that was replaced and is still valid, without the key itself.
public struct FormerAppKey: Hashable, Sendable, Codable {
    /// The kind of key.
    public var kind: AppKeyKind
    /// When it stops being valid.
    public var endsAt: Timestamp

    /// Creates a former key.
    public init(kind: AppKeyKind, endsAt: Timestamp) {
        self.kind = kind
        self.endsAt = endsAt
    }
}

/// The body of `POST /v1/apps/{app}/rotate-keys`.
public struct AppKeyRotation: Hashable, Sendable, Codable {
    /// Maximum overlap in hours: a year.
    public static let overlaps = 0...8_784

    /// The kinds to replace; at least one, each once.
    public var keys: [AppKeyKind]
    /// For how many hours the former keys stay valid; each kind's default when missing, while 0 revokes them at once,
    /// together with those that were replaced before.
    public var overlapHours: Int?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - keys: The kinds to replace.
    ///   - overlapHours: For how many hours the former keys stay valid; `nil` for each kind's default.
    public init(_ keys: [AppKeyKind], overlapHours: Int? = nil) {
        self.keys = keys
        self.overlapHours = overlapHours
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case keys, overlapHours
    }

    /// Decodes a request strictly.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        keys = try fields.required(.keys)
        guard !keys.isEmpty, Set(keys).count == keys.count else {
            throw fields.failure(.keys, "must name appKey, identitySecret or receiptKey, each once")
        }
        overlapHours = try fields.integer(.overlapHours, Self.overlaps)
    }
}

/// The answer to `POST /v1/apps/{app}/rotate-keys`: the App's new secrets, returned only once.
public struct RotatedAppKeys: Hashable, Sendable, Codable {
    /// The App, with the ends of its former keys.
    public var app: App
    /// The new App key; missing when it was not replaced.
    public var appKey: String?
    /// The new identity secret; missing when it was not replaced.
    public var identitySecret: String?

    /// Creates the answer.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - appKey: The new App key.
    ///   - identitySecret: The new identity secret.
    public init(app: App, appKey: String? = nil, identitySecret: String? = nil) {
        self.app = app
        self.appKey = appKey
        self.identitySecret = identitySecret
    }
}
