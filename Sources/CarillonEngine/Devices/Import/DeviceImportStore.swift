package import CarillonModel
package import CarillonOperatorModel

/// The counts of an import's lines by result.
package struct ImportCounts: Hashable, Sendable {
    /// New Devices.
    package var added = 0
    /// Devices of this or an earlier import that occurred again: the later line replaces them.
    package var replaced = 0
    /// Lines whose token or Device an app has registered itself; these registrations take precedence.
    package var registered = 0
    /// Lines that are invalid.
    package var rejected = 0
    /// Users whose tags and attributes came without a Device.
    package var users = 0
    /// How the consents of lines differ from those of the Devices with their tokens; only a preview compares them.
    package var consents = ConsentComparison()

    package init() {}

    /// Lines that are valid.
    package var taken: Int { added + replaced + registered }

    /// The report of these counts.
    ///
    /// - Parameters:
    ///   - problems: The first rejected lines; none where they are reported as they are found.
    ///   - isDryRun: Whether the counts are of a preview, which compares consents.
    /// - Returns: The report.
    package func report(_ problems: [ImportReport.LineProblem] = [], isDryRun: Bool = false) -> ImportReport {
        ImportReport(
            added: added,
            replaced: replaced,
            registered: registered,
            rejected: rejected,
            users: users,
            consents: isDryRun ? consents : nil,
            problems: problems
        )
    }
}

/// Stores Devices from another service.
package protocol DeviceImportStore: Sendable {
    /// Maximum number of lines of a batch while other writers are active.
    var servingBatchLimit: Int { get }
    /// How many batches of a window should be written concurrently.
    var batchesAtOnce: Int { get }
    /// Whether tags should be saved a window at a time, before their Devices, instead of with each batch.
    var takesTagsFirst: Bool { get }

    /// Reserves the numbers of a window's Devices.
    ///
    /// A store that saves tags first persists the numbers until ``endWindow(_:app:isWhole:)``, so that they survive a
    /// crash.
    ///
    /// - Returns: The first number; `nil` when there is no such App.
    func beginWindow(_ count: Int, app: AppID) async throws(StoreError) -> DeviceNumber?

    /// Saves tags of Devices that follow, in one transaction.
    func importTags(_ tags: [ImportedTag], app: AppID) async throws(StoreError)

    /// Closes a window.
    ///
    /// - Parameters:
    ///   - first: Its first number.
    ///   - app: The App.
    ///   - isWhole: Whether all of its Devices were saved; otherwise the tags of missing ones are removed.
    /// - Throws: ``StoreError``.
    func endWindow(_ first: DeviceNumber, app: AppID, isWhole: Bool) async throws(StoreError)

    /// Saves Devices that no app has registered yet, in one transaction.
    ///
    /// Either all of them have numbers of an open window, or none has.
    ///
    /// Such a Device has no secret and no known time of registration. The first app that registers its token takes the
    /// token over, or claims the Device if it also sends its id. Lines that share a key are processed in their order;
    /// the fastest order of all others is by token.
    ///
    /// - Returns: The counts; `nil` when there is no such App.
    func importDevices(
        _ lines: [ImportedDevice],
        app: AppID,
        at: Timestamp
    ) async throws(StoreError) -> ImportCounts?

    /// Says what ``importDevices(_:app:at:)`` would count, and changes nothing.
    ///
    /// - Returns: The counts; `nil` when there is no such App.
    func preview(_ lines: [ImportedDevice], app: AppID) async throws(StoreError) -> ImportCounts?

    /// Adds tags to those that Users have, in one transaction; of more than 16 the first ones stay.
    ///
    /// A User whom more Devices share than a person has keeps the tags as they are.
    func addTags(_ users: [(user: UserID, tags: [Int64])], app: AppID) async throws(StoreError)

    /// Prepares for many Devices, in a store without other users: a store without Devices drops its indexes, which are
    /// built once at the end.
    ///
    /// - Returns: Whether it did; the caller must call ``endBulk()`` then.
    func beginBulk() async throws(StoreError) -> Bool

    /// Saves Devices while the indexes are missing, in one transaction.
    ///
    /// - Parameters:
    ///   - lines: Devices that share no key with each other or with earlier ones.
    ///   - tags: Their tags, sorted, by the index of the line.
    ///   - app: The App.
    ///   - at: The time of the import.
    /// - Returns: The counts; `nil` when there is no such App.
    /// - Throws: ``StoreError``.
    func importNew(
        _ lines: [ImportedDevice],
        tags: [ImportedTag],
        app: AppID,
        at: Timestamp
    ) async throws(StoreError) -> ImportCounts?

    /// Builds the indexes.
    func endBulk() async throws(StoreError)
}

/// The file format of imports and exports.
package enum DeviceFileFormat: String, Hashable, Sendable, CaseIterable {
    case csv
    case jsonLines = "jsonl"
}
