package import CarillonModel

/// A device of another service, in Carillon's words.
package struct ImportRecord: Hashable, Sendable {
    /// The line on which its row begins, from 1.
    package var line: Int
    /// What Carillon keeps of it; without a token the record has only a User's tags and attributes.
    package var registration: Registration
    /// Since when the person consents, where the service says so.
    package var consentTimes = ConsentTimes()
    /// Tags of the User, which join those that the User has.
    package var tags: [String] = []
    /// Attributes of the User.
    package var attributes: [String: JSONValue] = [:]
    /// When the service last heard from the device.
    package var seenAt: Timestamp?
    /// Whether the service has not put another row in this one's place; such a row yields to others with its token.
    ///
    /// A row whose person said no is active: an older yes must not win over it.
    package var isActive = true

    package init(line: Int, consent: Consent = Consent(notifications: false)) {
        self.line = line
        registration = Registration(consent: consent)
    }
}

/// A device that Carillon does not serve, or not yet.
package struct OtherDevice: Hashable, Sendable {
    /// Such as `android`, `email` or `web`.
    package var platform: String
    /// The token or address, as the file has it.
    package var address: String
    /// All else of it.
    package var record: ImportRecord

    package init(platform: String, address: String, record: ImportRecord) {
        self.platform = platform
        self.address = address
        self.record = record
    }
}

/// What becomes of a row, or of one of several devices in it.
///
/// Records are several hundred bytes with many references: they are indirect, so that a fate is copied at low cost.
package enum RowFate: Sendable {
    indirect case device(ImportRecord)
    /// Tags and attributes of a User, without a device.
    indirect case user(ImportRecord)
    indirect case other(OtherDevice)
    case leftOut(LeftOut, line: Int)
    /// A token that the service has found dead; other rows with it are left out unless they are newer.
    indirect case dead(ImportRecord)
    case refused(line: Int, String)
    /// A row that belongs to another one, and counts with it.
    case joined
    /// A row that must be joined with another one before anything can become of it.
    indirect case half(SourceHalf)
    /// Of the first reading alone, from formats that make no records for it: what the row says of a token, if it has one.
    case claim(TokenClaim?)
}

/// Half of a device, in one of two files; the other half has the same key.
package struct SourceHalf: Hashable, Sendable {
    /// The line on which its row begins, from 1.
    package var line: Int
    package var key: String
    /// Whether it is the half that describes the person; the other one has the tokens.
    package var isPerson: Bool
    package var members: [String: JSONValue]

    package init(line: Int, key: String, isPerson: Bool, members: [String: JSONValue]) {
        self.line = line
        self.key = key
        self.isPerson = isPerson
        self.members = members
    }
}

/// Why a valid row is not imported.
package enum LeftOut: String, Hashable, Sendable, CaseIterable {
    /// Another row of the import has the token and holds.
    case duplicate
    /// The service says that the app was removed, or that the token is invalid.
    case dead
    /// A token of Firebase: Apple's service does not know it.
    case firebaseToken
    /// A token for calls.
    case callToken
    case withoutToken
    /// The row is of another App than the named one.
    case otherApp
    /// The device was not seen since the named time.
    case notSeenSince
    /// Half of a joined row, without the other half.
    case withoutMatch

    /// For people, as the end of "12 rows: …".
    package var text: String {
        switch self {
        case .duplicate: "another row with the same token holds: a newer one, or a later one without a date"
        case .dead: "the service calls the token dead, or the app removed"
        case .firebaseToken: "a token of Firebase, which Apple does not know"
        case .callToken: "a token for calls; the app registers it again"
        case .withoutToken: "no token"
        case .otherApp: "of another app"
        case .notSeenSince: "not seen since --active-since"
        case .withoutMatch: "no matching row in the other file"
        }
    }
}

/// What is lost of a row that is imported, or worth knowing about it.
package enum ImportNote: String, Hashable, Sendable, CaseIterable {
    case neverAsked
    case provisional
    case consentMissing
    case consentByValidity
    case consentUndated
    case inactive
    case zone
    case text
    case attributeName
    case attributeValue
    case attributesUnreadable
    case attributeExcess
    case attributeWithoutUser
    case tagName
    case tagExcess
    case categoryExcess
    case severalValues

    /// For people, as the end of "12 rows: …".
    package var text: String {
        switch self {
        case .neverAsked: "the person was never asked for permission: no consent"
        case .provisional: "permission is provisional: delivered quietly"
        case .consentMissing: "the file does not say whether the person consents: no consent"
        case .consentByValidity:
            "consents by invalid_identifier alone: the export has no notification_types (extra_fields)"
        case .consentUndated: "consents to ads, and the file does not say since when"
        case .inactive: "inactive at the service: no consent"
        case .zone: "the time zone is not of IANA: left out"
        case .text: "a language, country, version or model is too long: left out"
        case .attributeName: "an attribute's name has other characters than letters, digits, . _ -: left out"
        case .attributeValue: "an attribute is too long, or neither text nor number nor boolean: left out"
        case .attributesUnreadable: "tags is no JSON object: left out"
        case .attributeExcess: "more than 64 attributes: the others are left out"
        case .attributeWithoutUser: "attributes without a user: left out"
        case .tagName: "a tag has white space or is too long: left out"
        case .tagExcess: "more than 16 tags: the others are left out"
        case .categoryExcess: "more than 100 categories, or a long one: left out"
        case .severalValues: "an attribute has several values: they are one text, with commas"
        }
    }
}
