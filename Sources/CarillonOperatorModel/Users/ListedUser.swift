public import CarillonModel

/// A User in the list of an App's Users.
public struct ListedUser: Hashable, Sendable, Codable {
    /// The App's own id of the person.
    public var user: UserID
    /// Number of the User's Devices, at least 1.
    public var devices: Int

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - user: The App's own id of the person.
    ///   - devices: Number of the User's Devices.
    public init(user: UserID, devices: Int) {
        self.user = user
        self.devices = devices
    }
}
