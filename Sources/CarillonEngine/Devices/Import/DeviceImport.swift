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
    /// Keeps Devices that no app has registered yet, in one transaction.
    ///
    /// Such a Device has no secret and no known time of registration. The first app that registers its token takes the
    /// token over, or claims the Device if it comes with its id too.
    ///
    /// - Returns: What became of them; `nil` when there is no such App.
    func importDevices(
        _ devices: [ImportedDevice],
        app: AppID,
        at: Timestamp
    ) async throws(StoreError) -> ImportCounts?
}

/// Reads a file of Devices into a store, a batch at a time, in flat memory.
///
/// A bad line is reported and left out; the others are kept. Feed it with ``read(_:)`` and close it with ``finish()``.
package struct DeviceImport: ~Copyable {
    /// How many Devices go into a transaction: enough for the indexes' pages to be written once for many of them.
    package static let batchSize = 50_000

    private let store: any DeviceImportStore
    private let app: AppID
    private let clock: any WallClock
    private let ignoresUnknownColumns: Bool
    private let reject: (Int, String) -> Void

    private var reader = CSVReader()
    private var columns: ImportColumns?
    private var batch: [ImportedDevice] = []
    private let batchSize: Int

    /// What became of the lines so far.
    package private(set) var counts = ImportCounts()

    /// Begins an import.
    ///
    /// - Parameters:
    ///   - app: Whose Devices.
    ///   - store: Keeps them.
    ///   - clock: Tells when they were imported.
    ///   - ignoresUnknownColumns: Whether the header may have names that are not known.
    ///   - batchSize: How many go into a transaction.
    ///   - reject: Takes the number of a bad line and what is wrong with it.
    package init(
        app: AppID,
        store: any DeviceImportStore,
        clock: any WallClock,
        ignoresUnknownColumns: Bool = false,
        batchSize: Int = DeviceImport.batchSize,
        reject: @escaping (Int, String) -> Void
    ) {
        self.app = app
        self.store = store
        self.clock = clock
        self.ignoresUnknownColumns = ignoresUnknownColumns
        self.batchSize = batchSize
        self.reject = reject
    }

    /// Reads the next part of the file.
    ///
    /// - Parameter bytes: Any part of it; at most a batch of lines is held.
    /// - Throws: ``EngineError/invalid(_:)`` when the header cannot be taken, ``EngineError/notFound(_:)`` when there is
    ///   no such App, ``EngineError/store(_:)``; the batches before are kept then.
    package mutating func read(_ bytes: some Sequence<UInt8>) async throws(EngineError) {
        var items: [CSVReader.Item] = []
        reader.read(bytes) { items.append($0) }
        for item in items { try await take(item) }
    }

    /// Reads the end of the file.
    ///
    /// - Returns: What became of the lines.
    /// - Throws: As ``read(_:)``.
    package mutating func finish() async throws(EngineError) -> ImportCounts {
        var items: [CSVReader.Item] = []
        reader.finish { items.append($0) }
        for item in items { try await take(item) }
        guard columns != nil else { throw .invalid(FieldError(field: "", problem: "the file is empty")) }
        try await keepBatch()
        return counts
    }

    // MARK: - Private

    private mutating func take(_ item: CSVReader.Item) async throws(EngineError) {
        guard let columns else { return try takeHeader(item) }
        switch item {
        case .problem(let line, let problem):
            refuse(line, problem)
        case .record(let line, let fields):
            do throws(ImportColumns.Problem) {
                batch.append(try columns.device(fields, line: line))
            } catch {
                refuse(line, error.description)
            }
            if batch.count >= batchSize { try await keepBatch() }
        }
    }

    private mutating func takeHeader(_ item: CSVReader.Item) throws(EngineError) {
        do throws(ImportColumns.Problem) {
            switch item {
            case .problem(_, let problem): throw ImportColumns.Problem("the header \(problem)")
            case .record(_, let fields):
                columns = try ImportColumns(header: fields, ignoresUnknown: ignoresUnknownColumns)
            }
        } catch {
            throw .invalid(FieldError(field: "header", problem: error.description))
        }
    }

    private mutating func refuse(_ line: Int, _ problem: String) {
        counts.rejected += 1
        reject(line, problem)
    }

    private mutating func keepBatch() async throws(EngineError) {
        guard !batch.isEmpty else { return }
        let devices = batch
        batch.removeAll(keepingCapacity: true)
        let now = clock.now()
        let kept: ImportCounts?
        do {
            kept = try await store.importDevices(devices, app: app, at: now)
        } catch {
            throw .store(error)
        }
        guard let kept else { throw .notFound(.app) }
        counts.added += kept.added
        counts.replaced += kept.replaced
        counts.registered += kept.registered
    }
}
