package import CarillonModel
package import CarillonOperatorModel

/// Devices that an Audience matches, with or without a token.
package struct ReachReading: Sendable {
    /// The Devices; one that cannot be sent to has no token.
    package var recipients: Recipients
    /// By row: a hash of the User's id; 0 without a User.
    package var owners: [UInt64]
    /// The last number that was looked at.
    package var through: DeviceNumber

    package init(recipients: Recipients, owners: [UInt64], through: DeviceNumber) {
        self.recipients = recipients
        self.owners = owners
        self.through = through
    }
}

/// A Device of a sample.
package struct ReachedDevice: Hashable, Sendable {
    package var number: DeviceNumber
    package var id: DeviceID
    package var user: UserID?
    package var language: String?
    package var country: String?
    package var timeZone: String?
    package var model: String?
    package var appVersion: String?
    /// The conditions of the rule that hold for it.
    package var matches: [AudienceTerm] = []

    package init(number: DeviceNumber, id: DeviceID) {
        self.number = number
        self.id = id
    }
}

/// Reads whom a Campaign would reach.
package protocol ReachStore: Sendable {
    /// Returns what an Occurrence would have that begins at a time; `nil` when there is no such App.
    func reachFacts(of campaign: Campaign, at time: Timestamp) async throws(StoreError) -> OccurrenceFacts?

    /// Returns the greatest number of an App's Devices; 0 without any.
    func lastDevice(of app: AppID) async throws(StoreError) -> DeviceNumber

    /// Reads matching Devices after one number, through another, as many as may be looked at.
    func candidates(
        of facts: OccurrenceFacts,
        after: DeviceNumber,
        through: DeviceNumber
    ) async throws(StoreError) -> ReachReading

    /// Returns what was sent of late to Devices.
    func recentSends(
        to recipients: Recipients,
        of facts: OccurrenceFacts,
        at now: Timestamp
    ) async throws(StoreError) -> SendMemory

    /// Returns those of at most 1,000 Users who have a Device.
    func usersWithDevices(_ users: [UserID], of app: AppID) async throws(StoreError) -> Set<UserID>

    /// Returns Devices by their numbers, with those of some conditions that hold for each.
    func reached(
        _ numbers: [DeviceNumber],
        of app: AppID,
        _ terms: [AudienceTerm],
        at now: Timestamp
    ) async throws(StoreError) -> [ReachedDevice]
}
