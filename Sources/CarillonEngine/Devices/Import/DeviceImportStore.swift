package import CarillonModel

/// How many lines of an import became what.
package struct ImportCounts: Hashable, Sendable {
    /// New Devices.
    package var added = 0
    /// Devices of this or an earlier import that were described again: the later line holds.
    package var replaced = 0
    /// Lines whose token or Device an app has registered itself; the app knows better than the file.
    package var registered = 0
    /// Lines that could not be read.
    package var rejected = 0

    package init() {}

    /// Lines that were read well.
    package var taken: Int { added + replaced + registered }
}

/// Takes Devices from another service.
package protocol DeviceImportStore: Sendable {
    /// How many lines may come at once while others write.
    var servingBatchLimit: Int { get }
    /// How many batches of a window are better written beside each other.
    var batchesAtOnce: Int { get }
    /// Whether tags are better kept a window at a time, before their Devices, than with each batch of these.
    var takesTagsFirst: Bool { get }

    /// Reserves the numbers of a window's Devices.
    ///
    /// A store that takes tags first remembers them until ``endWindow(_:app:isWhole:)``, also beyond the end of the
    /// process.
    ///
    /// - Returns: The first of them; `nil` when there is no such App.
    func beginWindow(_ count: Int, app: AppID) async throws(StoreError) -> DeviceNumber?

    /// Keeps tags of Devices that will follow, in one transaction.
    func importTags(_ tags: [ImportedTag], app: AppID) async throws(StoreError)

    /// Forgets a window.
    ///
    /// - Parameters:
    ///   - first: What it began with.
    ///   - app: Whose Devices.
    ///   - isWhole: Whether all of its Devices came; otherwise the tags of those that did not are removed.
    /// - Throws: ``StoreError``.
    func endWindow(_ first: DeviceNumber, app: AppID, isWhole: Bool) async throws(StoreError)

    /// Keeps Devices that no app has registered yet, in one transaction.
    ///
    /// Either all of them have numbers of an open window, or none has.
    ///
    /// Such a Device has no secret and no known time of registration. The first app that registers its token takes the
    /// token over, or claims the Device if it comes with its id too. Lines that are alike in something are kept in their
    /// order; it is fast when all others come in the order of their tokens.
    ///
    /// - Returns: What became of them; `nil` when there is no such App.
    func importDevices(
        _ lines: [ImportedDevice],
        app: AppID,
        at: Timestamp
    ) async throws(StoreError) -> ImportCounts?

    /// Prepares for many Devices, in a store that serves nobody: one that has none at all gives up its indexes, which
    /// are built once when they are there.
    ///
    /// - Returns: Whether it did; ``endBulk()`` has to follow then.
    func beginBulk() async throws(StoreError) -> Bool

    /// Keeps Devices while the indexes are gone, in one transaction.
    ///
    /// - Parameters:
    ///   - lines: Devices that share nothing with each other, nor with those before.
    ///   - tags: Their tags, in order, under the places of the lines.
    ///   - app: Whose Devices.
    ///   - at: When they are imported.
    /// - Returns: What became of them; `nil` when there is no such App.
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

/// In which form Devices come and go.
package enum DeviceFileFormat: String, Hashable, Sendable, CaseIterable {
    case csv
    case jsonLines = "jsonl"
}
