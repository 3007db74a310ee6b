package import CarillonModel
import Foundation

/// A Device as a file of another service describes it.
package struct ImportedDevice: Hashable, Sendable {
    /// The number of its line.
    package var line: Int
    /// Its public id, if the file has one.
    package var device: DeviceID?
    /// The public id that it gets when the file has none; `nil` lets the store generate one.
    package var newID: DeviceID?
    /// The number that was reserved for it, under which its tags are saved already; `nil` lets the store reserve one.
    package var number: DeviceNumber?
    package var token: DeviceToken
    package var registration: Registration
    /// Since when the person consents, where the file has it.
    package var consentTimes = ConsentTimes()
    /// When the app was used last, as far as the other service knows.
    package var seenAt: Timestamp?
    /// The names that replace its User's tags; `nil` when the file has none.
    package var tagNames: [String]?
    /// Whether the tags join those that the User has, in the place of replacing them.
    package var addsTags = false
    /// Attributes of its User to set, and null for those to remove; `nil` when the file has none.
    package var attributes: UserAttributes?
    /// The store's numbers of these tags.
    package var tags: [Int64]?

    package init(
        line: Int,
        device: DeviceID?,
        token: DeviceToken,
        registration: Registration,
        tagNames: [String]? = nil
    ) {
        self.line = line
        self.device = device
        self.token = token
        self.registration = registration
        self.tagNames = tagNames
    }
}

/// Tags and attributes of a User, as a file of another service has them apart from Devices.
package struct ImportedUser: Hashable, Sendable {
    /// The number of its line.
    package var line: Int
    package var user: UserID
    /// The names of tags that join those that the User has.
    package var tagNames: [String]
    /// Attributes to set, and null for those to remove; `nil` when the file has none.
    package var attributes: UserAttributes?

    package init(line: Int, user: UserID, tagNames: [String], attributes: UserAttributes?) {
        self.line = line
        self.user = user
        self.tagNames = tagNames
        self.attributes = attributes
    }
}

/// A line of an import.
enum ImportedLine {
    case device(ImportedDevice)
    case user(ImportedUser)
}

/// A tag of an imported Device, ordered as the store orders them.
package struct ImportedTag: Hashable, Comparable, Sendable {
    /// The store's number of the tag.
    package var tag: Int64
    package var device: DeviceNumber
    package var facets: DeviceFacets

    package init(tag: Int64, device: DeviceNumber, facets: DeviceFacets) {
        self.tag = tag
        self.device = device
        self.facets = facets
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.tag, lhs.device.rawValue) < (rhs.tag, rhs.device.rawValue)
    }
}

extension ImportedDevice {
    /// Whether the fast statement has columns for all of its fields.
    package var isSimple: Bool { registration.location == nil && registration.permission == nil }

    /// Sets the names of its User's tags.
    ///
    /// - Throws: ``ImportColumns/Problem`` when there are too many, a name is invalid, or there is no User.
    mutating func setTags(_ names: [String]) throws(ImportColumns.Problem) {
        guard registration.user != nil else { throw ImportColumns.Problem("tags need a user, and the line has none") }
        tagNames = try Self.checkedTags(names)
    }

    /// Checks names of tags.
    ///
    /// - Throws: ``ImportColumns/Problem`` when there are too many, or a name is invalid.
    static func checkedTags(_ names: [String]) throws(ImportColumns.Problem) -> [String] {
        guard names.count <= TagSet.maximumCount else {
            throw ImportColumns.Problem("must have at most \(TagSet.maximumCount) tags")
        }
        guard names.allSatisfy(Self.isTagName) else {
            throw ImportColumns.Problem("tags must be names of 1 through 255 characters without white space")
        }
        return names
    }

    /// Sets attributes of its User.
    ///
    /// - Throws: ``ImportColumns/Problem`` when there are too many, one is invalid, or there is no User.
    mutating func setAttributes(_ attributes: [String: JSONValue]) throws(ImportColumns.Problem) {
        guard !attributes.isEmpty else { return }
        guard registration.user != nil else {
            throw ImportColumns.Problem("attributes need a user, and the line has none")
        }
        self.attributes = try Self.checkedAttributes(attributes)
    }

    /// Checks attributes.
    ///
    /// - Throws: ``ImportColumns/Problem`` when there are too many, or one is invalid.
    static func checkedAttributes(_ attributes: [String: JSONValue]) throws(ImportColumns.Problem) -> UserAttributes {
        guard attributes.count <= UserAttributes.maximumCount else {
            throw ImportColumns.Problem("must have at most \(UserAttributes.maximumCount) attributes")
        }
        for (name, value) in attributes {
            guard let problem = UserAttributes.problem(name, value) else { continue }
            throw ImportColumns.Problem("attributes \(problem.problem)")
        }
        return UserAttributes(attributes: attributes)
    }

    private static func isTagName(_ name: String) -> Bool {
        // Nearly all are ASCII, where characters are bytes.
        if (1...255).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) { return true }
        return (1...255).contains(name.count) && name.utf8.count <= 1_020
            && !name.unicodeScalars.contains {
                $0.properties.isWhitespace || $0.properties.generalCategory == .control
            }
    }
}
