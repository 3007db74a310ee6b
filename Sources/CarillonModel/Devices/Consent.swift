/// The person's consent.
public struct Consent: Hashable, Sendable, Codable {
    /// To notifications of any kind.
    public var notifications: Bool
    /// To advertising notifications.
    public var ads: Bool
    /// To advertising notifications at night, 21:00 through 08:00 in the phone's time zone.
    public var nightAds: Bool

    /// Creates a consent.
    ///
    /// - Parameters:
    ///   - notifications: To notifications of any kind.
    ///   - ads: To advertising notifications.
    ///   - nightAds: To advertising notifications at night.
    public init(notifications: Bool, ads: Bool = false, nightAds: Bool = false) {
        self.notifications = notifications
        self.ads = ads
        self.nightAds = nightAds
    }

    enum CodingKeys: CodingKey {
        case notifications, ads, nightAds
    }

    /// Decodes a consent; `ads` and `nightAds` are false when missing.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        notifications = try fields.required(.notifications)
        ads = try fields.optional(.ads) ?? false
        nightAds = try fields.optional(.nightAds) ?? false
    }
}

/// Since when the person consents, by the server's clock.
///
/// A time is set when its flag becomes true, stays while the flag stays true, and is missing while it is false.
public struct ConsentTimes: Hashable, Sendable, Codable {
    /// Since when to notifications of any kind.
    public var notifications: Timestamp?
    /// Since when to advertising notifications.
    public var ads: Timestamp?
    /// Since when to advertising notifications at night.
    public var nightAds: Timestamp?

    /// Creates times.
    ///
    /// - Parameters:
    ///   - notifications: Since when to notifications of any kind.
    ///   - ads: Since when to advertising notifications.
    ///   - nightAds: Since when to advertising notifications at night.
    public init(notifications: Timestamp? = nil, ads: Timestamp? = nil, nightAds: Timestamp? = nil) {
        self.notifications = notifications
        self.ads = ads
        self.nightAds = nightAds
    }
}
