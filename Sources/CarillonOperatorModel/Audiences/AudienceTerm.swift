public import CarillonModel

/// One condition of a rule.
public enum AudienceTerm: Hashable, Sendable {
    /// The Device's User has the tag with this id: `tag:ZZPP00b6`.
    case tag(TagID)
    /// The Device's User has a tag with this name, 1 through 255 characters: `tag:"sports"`.
    case tagName(String)
    /// The Device is in a category: `category = "4"`, or, in one of several dimensions, `category.1 = "神奈川"`.
    ///
    /// A Device without a category is in category `1`.
    case category(dimension: String?, AudienceMatch<String>)
    /// An attribute of the Device's User: `attribute.age >= 20`.
    ///
    /// The name has 1 through 64 letters, digits, `.`, `_` and `-`.
    case attribute(String, AudienceAttributeTest)
    /// A text that the Device reported: `language in [ja, ko]`.
    case text(AudienceTextField, AudienceMatch<String>)
    /// The Device's User: `user = "u-1"`.
    case user(AudienceMatch<UserID>)
    /// The Device itself: `device = 3f2504e0-4f89-41d3-9a0c-0305e82c3301`.
    case device(AudienceMatch<DeviceID>)
    /// The type of the token that is addressed: `pushType = apns_sandbox`.
    case pushType(AudienceMatch<PushType>)
    /// A version: `appVersion >= 2.10`.
    case version(AudienceVersionField, AudienceOrdering<AudienceVersion>)
    /// A boolean: `consent.ads`.
    case flag(AudienceFlag)
    /// A time: `lastSeen > now-30d`.
    case time(AudienceTimeField, AudienceRelation, AudienceInstant)
    /// The Device has a value: `attribute.age exists`.
    case exists(AudienceOptionalField)
    /// The Device's last location is in a circle: `within(35.68, 139.76, 5km)`.
    case within(AudienceArea)
    /// An event of an earlier Campaign: `opened(campaign:cmp_0fk2m9q3tw7x)`.
    case event(AudienceEvent)
}

extension AudienceTerm {
    /// Number of values in its list; 1 without one.
    var valueCount: Int {
        switch self {
        case .category(_, let match), .text(_, let match): match.values.count
        case .user(let match): match.values.count
        case .device(let match): match.values.count
        case .pushType(let match): match.values.count
        case .attribute(_, .text(let match)): match.values.count
        case .attribute(_, .number(let ordering)): ordering.values.count
        case .version(_, let ordering): ordering.values.count
        case .attribute(_, .flag), .tag, .tagName, .flag, .time, .exists, .within, .event: 1
        }
    }
}

/// A comparison with some values.
public enum AudienceMatch<Value: Hashable & Sendable>: Hashable, Sendable {
    /// Equal: `= value`.
    case isEqual(Value)
    /// Not equal, or missing: `!= value`.
    case isNotEqual(Value)
    /// One of 1 through 1,000: `in [value, value]`.
    case isAny([Value])

    /// The values, one or those of the list.
    public var values: [Value] {
        switch self {
        case .isEqual(let value), .isNotEqual(let value): [value]
        case .isAny(let values): values
        }
    }
}

/// A comparison operator.
public enum AudienceRelation: String, Hashable, Sendable, CaseIterable {
    case equal = "="
    case notEqual = "!="
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="

    /// Those that require an order.
    static let orders: Set<AudienceRelation> = [.less, .atMost, .greater, .atLeast]
}

/// A comparison of ordered values.
public enum AudienceOrdering<Value: Hashable & Sendable>: Hashable, Sendable {
    /// `>= value` and the like.
    case relation(AudienceRelation, Value)
    /// One of 1 through 1,000: `in [value, value]`.
    case isAny([Value])

    /// The values, one or those of the list.
    public var values: [Value] {
        switch self {
        case .relation(_, let value): [value]
        case .isAny(let values): values
        }
    }
}

/// A comparison of an attribute; false for an attribute of another type.
public enum AudienceAttributeTest: Hashable, Sendable {
    /// Of a text, byte by byte; at most 256 characters.
    case text(AudienceMatch<String>)
    /// Of a number.
    case number(AudienceOrdering<AudienceNumber>)
    /// Of a boolean: `= true`, or with `isEqual` false `!= true`.
    case flag(isEqual: Bool, Bool)
}

/// A text that a Device reports.
public enum AudienceTextField: String, Hashable, Sendable, CaseIterable {
    /// A BCP 47 tag; `ko` matches `ko-KR` too, case-insensitive, `_` equals `-`.
    case language
    /// An ISO 3166 code, case-insensitive.
    case country
    /// The hardware model, byte by byte.
    case model
    /// An IANA time zone, byte by byte.
    case timeZone
}

/// A version that a Device reports.
public enum AudienceVersionField: String, Hashable, Sendable, CaseIterable {
    /// The app's.
    case appVersion
    /// The system's; a name before the number, as in `iOS 17.4`, is ignored.
    case osVersion
}

/// A boolean property of a Device.
public enum AudienceFlag: String, Hashable, Sendable, CaseIterable {
    /// The person consents to notifications.
    case notifications = "consent.notifications"
    /// The person consents to ads.
    case ads = "consent.ads"
    /// The person consents to ads at night.
    case nightAds = "consent.nightAds"
    /// The Device has a User.
    case hasUser
}

/// A time of a Device's, by the server's clock.
public enum AudienceTimeField: String, Hashable, Sendable, CaseIterable {
    /// The last registration.
    case lastSeen
    /// The first registration.
    case registered
    /// Since when the person consents to notifications; missing without consent, and for consent from an imported file.
    case notificationsGiven = "consentGiven.notifications"
    /// Since when the person consents to ads.
    case adsGiven = "consentGiven.ads"
    /// Since when the person consents to ads at night.
    case nightAdsGiven = "consentGiven.nightAds"
}

/// Something that a Device may not have.
public enum AudienceOptionalField: Hashable, Sendable {
    /// An attribute of its User's, of any type.
    case attribute(String)
    /// A text of its own.
    case text(AudienceTextField)
    /// A version, in any format.
    case version(AudienceVersionField)
}
