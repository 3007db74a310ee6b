import CarillonEngine
import CarillonModel
import Foundation

/// The fields of one registration: of a form, or of an element of a list.
protocol CorePushFields {
    /// The name of a field in a message to the caller.
    func name(_ field: String) -> String
    /// A text or a number as text; `nil` when it is missing or empty.
    func text(_ field: String) throws -> String?
    /// Categories; `nil` when they are missing or empty.
    func categories(_ field: String) throws -> DeviceCategories?
}

extension CorePushFields {
    fileprivate func required(_ field: String) throws -> String {
        guard let text = try text(field) else { throw CorePushFailure(name(field), "is required") }
        return text
    }

    /// Categories in a text: a JSON array, a JSON object, or one id.
    func categories(text: String, _ field: String) throws -> DeviceCategories {
        guard let categories = DeviceCategories(text: text) else {
            throw CorePushFailure(
                name(field),
                "must be an id, a JSON array of ids or a JSON object of arrays of labels, at most 100 in all of at most 64 "
                    + "characters each"
            )
        }
        return categories
    }
}

/// One registration or removal of a token.
struct CorePushRegistration {
    enum Mode: String { case register = "1", remove = "2" }

    var mode: Mode
    var registration: TokenRegistration
    /// Whether the phone tells no position, so that the last one remains.
    private(set) var keepsLocation = false

    /// Reads the fields; unknown ones are ignored, and so is `device_id`: no hardware's id is kept.
    ///
    /// - Parameters:
    ///   - fields: The fields.
    ///   - standard: The mode when there is none.
    ///   - now: The time of a position.
    /// - Throws: A failure that names the field.
    init(_ fields: some CorePushFields, standard: Mode? = nil, now: Timestamp) throws {
        let token = try fields.required("device_token")
        guard let token = DeviceToken(hexadecimal: token) else {
            let counts = DeviceToken.byteCounts
            throw CorePushFailure(
                fields.name("device_token"),
                "must be \(2 * counts.lowerBound) through \(2 * counts.upperBound) hexadecimal digits"
            )
        }
        guard let mode = try fields.text("mode").map({ Mode(rawValue: $0) }) ?? standard else {
            throw CorePushFailure(fields.name("mode"), "must be 1 or 2")
        }
        self.mode = mode
        let isSandbox = try fields.text("sandbox") == "1"
        registration = TokenRegistration(
            token: token,
            pushType: isSandbox ? .apnsSandbox : .apns,
            user: nil,
            consent: Consent(notifications: true)
        )
        guard mode == .register else { return }
        registration.user = try fields.text("app_user_id").map { text in
            try CorePushUser.user(text, fields.name("app_user_id"))
        }
        registration.categories = try fields.categories("category_id")
        guard let place = try CorePushPlace(fields) else {
            keepsLocation = true
            return
        }
        registration.location = DeviceLocation(latitude: place.latitude, longitude: place.longitude, at: now)
    }
}

/// A position in the fields `latitude` and `longitude`.
struct CorePushPlace {
    var latitude: Double
    var longitude: Double

    /// `nil` without one; 0, 0 is none as well.
    init?(_ fields: some CorePushFields) throws {
        let found = try ["latitude", "longitude"].map { try fields.text($0) }
        guard found != [nil, nil] else { return nil }
        guard let latitude = found[0].flatMap(Double.init), let longitude = found[1].flatMap(Double.init),
            (-90...90).contains(latitude), (-180...180).contains(longitude)
        else {
            throw CorePushFailure(
                fields.name("latitude"),
                "must be -90 through 90, and \(fields.name("longitude")) -180 through 180"
            )
        }
        guard latitude != 0 || longitude != 0 else { return nil }
        (self.latitude, self.longitude) = (latitude, longitude)
    }
}

/// Users by their ids.
enum CorePushUser {
    /// The id that stands for everybody.
    static let everybody = "9999999999"

    /// A User.
    ///
    /// - Throws: A failure for a text that cannot be an id, and for the id that stands for everybody.
    static func user(_ text: String, _ field: String) throws -> UserID {
        guard text != everybody, let user = UserID(rawValue: text) else {
            throw CorePushFailure(
                field,
                "must have 1 through \(UserID.maximumLength) characters, none of them a control character, and not be "
                    + everybody
            )
        }
        return user
    }
}

extension PHPForm: CorePushFields {
    func name(_ field: String) -> String { field }

    /// Categories in a text, or in PHP's own arrays: `category_id[]=1`, `category_id[2][]=a`.
    func categories(_ field: String) throws -> DeviceCategories? {
        guard case .array(let array)? = self[field] else {
            return try text(field).map { try categories(text: $0, field) }
        }
        let value = try JSONValue(.array(array), field)
        return try categories(text: String(decoding: try JSONEncoder().encode(value), as: UTF8.self), field)
    }
}

extension JSONValue {
    /// A form's value as PHP would write it as JSON.
    init(_ value: PHPForm.Value, _ field: String) throws(PHPForm.Failure) {
        switch value {
        case .text(let bytes): self = .string(try PHPForm.text(bytes, field))
        case .array(let array) where array.isList:
            var elements: [JSONValue] = []
            for value in array.all { elements.append(try JSONValue(value, field)) }
            self = .array(elements)
        case .array(let array):
            var members: [String: JSONValue] = [:]
            for (name, value) in zip(array.names, array.all) { members[name] = try JSONValue(value, field) }
            self = .object(members)
        }
    }
}

/// An element of the JSON in `request_data`.
struct CorePushElement: CorePushFields {
    var index: Int
    var members: [String: JSONValue]

    func name(_ field: String) -> String { "request_data[\(index)].\(field)" }

    /// A value; `nil` when it is missing, null or empty.
    subscript(_ field: String) -> JSONValue? {
        members[field].flatMap { $0 == .null || $0 == .string("") ? nil : $0 }
    }

    func text(_ field: String) throws -> String? {
        guard let value = self[field] else { return nil }
        switch value {
        case .string(let text): return text
        case .integer(let number): return String(number)
        default: throw CorePushFailure(name(field), "must be a text")
        }
    }

    func categories(_ field: String) throws -> DeviceCategories? {
        guard let value = self[field] else { return nil }
        switch value {
        case .array, .object:
            return try categories(text: String(decoding: try JSONEncoder().encode(value), as: UTF8.self), field)
        default: return try text(field).map { try categories(text: $0, field) }
        }
    }
}

extension CorePushCall {
    /// Maximum number of elements of `request_data`.
    static let maximumElements = 1_000

    /// The elements of `request_data`: JSON in base64, an array of 1 through 1,000 objects.
    func elements() throws -> [CorePushElement] {
        let field = "request_data"
        guard case .text(let bytes)? = form[field], !bytes.isEmpty else { throw CorePushFailure(field, "is required") }
        // A `+` that was not encoded in the form is a blank here.
        var base64 = bytes.filter { $0 != 0x0A && $0 != 0x0D }.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }
        base64 += Array(repeating: UInt8(ascii: "="), count: (4 - base64.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(base64)) else { throw CorePushFailure(field, "must be base64") }
        do throws(JSONSyntax.Failure) {
            try JSONSyntax.check(Array(data))
        } catch {
            throw CorePushFailure(field, "must be JSON in UTF-8: at byte \(error.offset) \(error.problem)")
        }
        guard case .array(let elements)? = try? JSONDecoder().decode(JSONValue.self, from: data) else {
            throw CorePushFailure(field, "must be a JSON array")
        }
        guard (1...Self.maximumElements).contains(elements.count) else {
            throw CorePushFailure(field, "must have 1 through \(Self.maximumElements) elements, not \(elements.count)")
        }
        return try elements.enumerated().map { index, element in
            guard let members = element.object else {
                throw CorePushFailure("\(field)[\(index)]", "must be an object")
            }
            return CorePushElement(index: index, members: members)
        }
    }
}
