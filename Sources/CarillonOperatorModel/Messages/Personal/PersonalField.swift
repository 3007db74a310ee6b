import CarillonModel

/// What of a Device or its User a text may name between `{{` and `}}`.
package enum PersonalField: Hashable, Sendable {
    /// What the App knows about the User: `attribute.NAME`; `name` stands for `attribute.name`.
    case attribute(String)
    /// The User's id: `user`.
    case user
    /// What the phone told of itself: `language`, `country`, `timeZone`, `appVersion`, `osVersion`, `model`.
    case device(DeviceWord)
    /// Since when the person agrees: `consent.notifications`, `consent.ads`, `consent.nightAds`.
    case consent(ConsentWord)
    /// What a request brings for its template: `value.NAME`.
    case value(String)
    /// What a request brings for one of its recipients: `recipient.NAME`.
    case recipient(String)

    /// What a phone tells of itself.
    package enum DeviceWord: String, Hashable, Sendable, CaseIterable {
        case language, country, timeZone, appVersion, osVersion, model
    }

    /// What a person agrees to.
    package enum ConsentWord: String, Hashable, Sendable, CaseIterable {
        case notifications, ads, nightAds
    }

    /// Reads a name; `nil` when there is no such field.
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

    /// Whether a Campaign's recipients have it, each another.
    package var isOfRecipient: Bool {
        if case .recipient = self { true } else { false }
    }

    /// What a text calls it.
    package var name: String {
        switch self {
        case .attribute(let name): "attribute." + name
        case .user: "user"
        case .device(let word): word.rawValue
        case .consent(let word): "consent." + word.rawValue
        case .value(let name): "value." + name
        case .recipient(let name): "recipient." + name
        }
    }

    /// The most characters a value may have.
    package var maximumLength: Int {
        switch self {
        case .attribute: UserAttributes.maximumLength
        case .user: UserID.maximumLength
        case .device: 64
        // 2026-11-21 08:44 UTC
        case .consent: 20
        case .value, .recipient: TemplateValues.maximumLength
        }
    }

    static func isName(_ name: Substring) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }
}
