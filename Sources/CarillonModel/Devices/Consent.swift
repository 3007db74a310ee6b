/// What the person at the phone agreed to.
public struct Consent: Hashable, Sendable, Codable {
    /// To notifications at all.
    public var notifications: Bool
    /// To advertising notifications.
    public var ads: Bool
    /// To advertising notifications at night, 21:00 through 08:00 where the phone is.
    public var nightAds: Bool

    /// Makes a consent.
    ///
    /// - Parameters:
    ///   - notifications: To notifications at all.
    ///   - ads: To advertising notifications.
    ///   - nightAds: To advertising notifications at night.
    public init(notifications: Bool, ads: Bool = false, nightAds: Bool = false) {
        self.notifications = notifications
        self.ads = ads
        self.nightAds = nightAds
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case notifications, ads, nightAds
    }

    /// Reads a consent; `ads` and `nightAds` are false when missing.
    ///
    /// - Throws: ``FieldError`` or `DecodingError` naming the field.
    public init(from decoder: any Decoder) throws {
        let fields = try Fields<CodingKeys>(decoder)
        notifications = try fields.required(.notifications)
        ads = try fields.optional(.ads) ?? false
        nightAds = try fields.optional(.nightAds) ?? false
    }
}
