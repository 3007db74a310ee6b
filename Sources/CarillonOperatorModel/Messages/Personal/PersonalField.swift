import CarillonModel

/// A field of a Device or its User that a text may contain between `{{` and `}}`.
package enum PersonalField: Hashable, Sendable {
    /// An attribute of the User: `attribute.NAME`; `name` stands for `attribute.name`.
    case attribute(String)
    /// The User's id: `user`.
    case user
    /// A value that the phone reports: `language`, `country`, `timeZone`, `appVersion`, `osVersion`, `model`.
    case device(DeviceWord)
    /// Since when the person consents: `consent.notifications`, `consent.ads`, `consent.nightAds`.
    case consent(ConsentWord)
    /// A value of the request for its template: `value.NAME`.
    case value(String)
    /// A value of the request for one of its recipients: `recipient.NAME`.
    case recipient(String)
    /// The number on the app's icon, as the server counts it; no text can name it.
    case badge

    /// A value that a phone reports.
    package enum DeviceWord: String, Hashable, Sendable, CaseIterable {
        case language, country, timeZone, appVersion, osVersion, model
    }

    /// A kind of consent.
    package enum ConsentWord: String, Hashable, Sendable, CaseIterable {
        case notifications, ads, nightAds
    }

    /// Parses a name; `nil` when there is no such field.
    package init?(_ name: Substring) {
        if name == "name" {
            self = .attribute("name")
        } else if name == "user" {
            self = .user
        } else if let word = DeviceWord(rawValue: String(name)) {
            self = .device(word)
        } else if name.hasPrefix("attribute."), Self.isName(name.dropFirst(10)) {
            self = .attribute(String(name.dropFirst(10)))
        } else if name.hasPrefix("value."), Self.isName(name.dropFirst(6)) {
            self = .value(String(name.dropFirst(6)))
        } else if name.hasPrefix("recipient."), Self.isName(name.dropFirst(10)) {
            self = .recipient(String(name.dropFirst(10)))
        } else if name.hasPrefix("consent."), let word = ConsentWord(rawValue: String(name.dropFirst(8))) {
            self = .consent(word)
        } else {
            return nil
        }
    }

    /// Whether it differs between a Campaign's recipients.
    package var isOfRecipient: Bool {
        if case .recipient = self { true } else { false }
    }

    /// Its name in a text.
    package var name: String {
        switch self {
        case .attribute(let name): "attribute." + name
        case .user: "user"
        case .device(let word): word.rawValue
        case .consent(let word): "consent." + word.rawValue
        case .value(let name): "value." + name
        case .recipient(let name): "recipient." + name
        case .badge: "badge"
        }
    }

    /// Maximum length of a value in characters.
    package var maximumLength: Int {
        switch self {
        case .attribute: UserAttributes.maximumLength
        case .user: UserID.maximumLength
        case .device: 64
        // 2026-11-21 08:44 UTC
        case .consent: 20
        case .value, .recipient: TemplateValues.maximumLength
        case .badge: 5
        }
    }

    static func isName(_ name: Substring) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }
}
