import CarillonBytes
package import CarillonModel
import Foundation

/// Reads the body of `PUT /v1/devices/{device}`.
package enum RegistrationReader {
    /// Reads a registration, on a fast path when it is ordinary.
    ///
    /// - Throws: ``Problem`` as ``JSONBody/decode(_:from:)``.
    package static func read(_ bytes: [UInt8]) throws(Problem) -> Registration {
        if let registration = plain(bytes) { return registration }
        return try JSONBody.decode(Registration.self, from: bytes)
    }

    /// Reads an ordinary registration; `nil` leaves it to the strict decoder.
    package static func plain(_ bytes: [UInt8]) -> Registration? {
        var json = PlainJSON(bytes)
        guard json.consume(UInt8(ascii: "{")), !json.consume(UInt8(ascii: "}")) else { return nil }
        var reader = Fields()
        repeat {
            guard let name = json.name(), reader.read(name, &json) else { return nil }
            switch json.hasNext(before: UInt8(ascii: "}")) {
            case true?: continue
            case false?: return json.isAtEnd() ? reader.whole() : nil
            case nil: return nil
            }
        } while true
    }
}

/// The fields that were read so far.
private struct Fields {
    /// The fields beside the texts of `DeviceField`.
    private enum Name: Int {
        case token, pushType, user, consent, permission, categories, location

        /// How many there are.
        static let count = 7
    }

    private static let texts = DeviceField.all
    /// Apart from ``texts``, so that a comparison retains nothing.
    private static let textNames = texts.map(\.name)
    private var seen = 0
    private var registration = Registration(consent: Consent(notifications: false))

    /// The registration; `nil` when the consent is missing.
    func whole() -> Registration? {
        seen & (1 << Name.consent.rawValue) == 0 ? nil : registration
    }

    /// Reads a field's value; returns false to give up.
    mutating func read(_ text: PlainJSON.Text, _ json: inout PlainJSON) -> Bool {
        if let name = Self.name(text, json) { return notSeen(name.rawValue) && read(name, &json) }
        guard let index = Self.textNames.firstIndex(where: { json.matches(text, $0) }) else { return false }
        return notSeen(Name.count + index) && readText(Self.texts[index], &json)
    }

    // MARK: - Private

    /// Marks a field as seen; returns false when it was.
    private mutating func notSeen(_ position: Int) -> Bool {
        defer { seen |= 1 << position }
        return seen & (1 << position) == 0
    }

    private mutating func read(_ name: Name, _ json: inout PlainJSON) -> Bool {
        switch name {
        case .consent: return readConsent(&json)
        case .categories:
            registration.categories = json.categories()
            return registration.categories != nil
        case .location:
            registration.location = json.location()
            return registration.location != nil
        case .token, .pushType, .permission, .user:
            guard let value = json.text() else { return false }
            return read(name, value, json)
        }
    }

    private mutating func read(_ name: Name, _ value: PlainJSON.Text, _ json: PlainJSON) -> Bool {
        switch name {
        case .consent, .categories, .location: return false
        case .token: return readToken(value, json)
        case .pushType: return readPushType(value, json)
        case .permission:
            registration.permission = NotificationPermission(rawValue: json.string(value))
            return registration.permission != nil
        case .user:
            registration.user = UserID(rawValue: json.string(value))
            return registration.user != nil
        }
    }

    private mutating func readText(_ field: DeviceField, _ json: inout PlainJSON) -> Bool {
        guard let value = json.text(), field.limit.lengths.contains(value.count) else { return false }
        registration[keyPath: field.registration] = json.string(value)
        return true
    }

    private mutating func readToken(_ value: PlainJSON.Text, _ json: PlainJSON) -> Bool {
        guard value.count <= 2 * DeviceToken.byteCounts.upperBound,
            let bytes = Hexadecimal.decode(json.bytes[value.start..<value.end])
        else { return false }
        registration.token = DeviceToken(bytes: bytes)
        return registration.token != nil
    }

    private mutating func readPushType(_ value: PlainJSON.Text, _ json: PlainJSON) -> Bool {
        guard let type = PushType(rawValue: json.string(value)), !type.isVoIP else { return false }
        registration.pushType = type
        return true
    }

    private mutating func readConsent(_ json: inout PlainJSON) -> Bool {
        guard json.consume(UInt8(ascii: "{")) else { return false }
        var (notifications, ads, nightAds): (Bool?, Bool?, Bool?)
        repeat {
            guard let name = json.name(), let value = json.bool() else { return false }
            if notifications == nil, json.matches(name, "notifications") {
                notifications = value
            } else if ads == nil, json.matches(name, "ads") {
                ads = value
            } else if nightAds == nil, json.matches(name, "nightAds") {
                nightAds = value
            } else {
                return false
            }
            guard let hasNext = json.hasNext(before: UInt8(ascii: "}")) else { return false }
            if !hasNext { break }
        } while true
        guard let notifications else { return false }
        registration.consent = Consent(notifications: notifications, ads: ads ?? false, nightAds: nightAds ?? false)
        return true
    }

    /// A user's proof is left to the strict decoder.
    private static func name(_ text: PlainJSON.Text, _ json: PlainJSON) -> Name? {
        if json.matches(text, "token") { return .token }
        if json.matches(text, "consent") { return .consent }
        if json.matches(text, "pushType") { return .pushType }
        if json.matches(text, "user") { return .user }
        if json.matches(text, "permission") { return .permission }
        if json.matches(text, "categories") { return .categories }
        if json.matches(text, "location") { return .location }
        return nil
    }
}
