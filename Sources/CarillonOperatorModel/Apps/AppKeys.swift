public import CarillonModel

/// What of an App's secrets can be replaced, each by itself.
public enum AppKeyKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// What the app carries; public.
    case appKey
    /// What the customer's back end signs user proofs with.
    case identitySecret
    /// What proves that an event is of a push that was sent; nobody sees it.
    case receiptKey

    /// For how many hours the former one is taken, unless it is said otherwise: installed apps update slowly, a user
    /// proof lives for a day at most, and events are told of pushes of the last month.
    public var standardOverlapHours: Int {
        switch self {
        case .appKey, .receiptKey: 720
        case .identitySecret: 24
        }
    }
}

/// A key that was replaced and is still taken, without the key itself.
public struct FormerAppKey: Hashable, Sendable, Codable {
    /// Which kind.
    public var kind: AppKeyKind
    /// When it stops being taken.
    public var endsAt: Timestamp

    /// Names a former key.
    public init(kind: AppKeyKind, endsAt: Timestamp) {
        self.kind = kind
        self.endsAt = endsAt
    }
}

/// The body of `POST /v1/apps/{app}/rotate-keys`.
public struct AppKeyRotation: Hashable, Sendable, Codable {
    /// For how many hours former keys may be taken: a year at most.
    public static let overlaps = 0...8_784

    /// Which to replace; at least one, each once.
    public var keys: [AppKeyKind]
    /// For how many hours the former ones are taken; missing: as long as each kind has it, 0: they end at once, and with
    /// them those that were replaced before.
    public var overlapHours: Int?

    /// Asks for new keys.
    ///
    /// - Parameters:
    ///   - keys: Which to replace.
    ///   - overlapHours: For how many hours the former ones are taken; `nil` for each kind's own.
    public init(_ keys: [AppKeyKind], overlapHours: Int? = nil) {
        self.keys = keys
        self.overlapHours = overlapHours
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case keys, overlapHours
    }

    /// Reads a request strictly.
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

/// The answer to `POST /v1/apps/{app}/rotate-keys`: what is new of the App's secrets, shown this once.
public struct RotatedAppKeys: Hashable, Sendable, Codable {
    /// The App, with the ends of its former keys.
    public var app: App
    /// The new App key; missing when it was not replaced.
    public var appKey: String?
    /// The new identity secret; missing when it was not replaced.
    public var identitySecret: String?

    /// Makes the answer.
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
