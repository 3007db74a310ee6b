package import CarillonModel

/// What the person who imports knows, and files do not say.
package struct SourceOptions: Sendable {
    /// The environment of tokens, where the file does not have it.
    package var environment: PushType?
    /// Whether people consent to notifications, where the service does not record it.
    package var consent: Bool?
    /// The app whose devices are imported, of a file with those of several.
    package var appName: String?
    /// Devices that were not seen since then are left out; those without a date stay.
    package var activeSince: Timestamp?
    /// Whether rows without a token give their User's tags and attributes.
    package var keepsUsersWithoutToken = false
    /// The column or member that holds a field, by the field, such as `user`.
    package var columns: [String: String] = [:]
    /// Members whose values become categories of devices without a User.
    package var categoryNames: Set<String> = []
    /// What a time without a zone is in.
    package var zone: String?

    package init() {}
}

/// Why a file cannot be imported at all.
package struct SourceProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
