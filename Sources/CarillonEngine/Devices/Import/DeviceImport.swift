package import CarillonModel
import Foundation

/// Reads a file of Devices into a store, a window of lines at a time, in constant memory.
///
/// Bad lines are reported and left out; the others are saved. Feed it with ``read(_:)`` and close it with ``finish()``.
/// While a window is written, in one or more batches, the next one is read.
package struct DeviceImport: ~Copyable {
    /// The settings of an import.
    package struct Options: Sendable {
        package var format = DeviceFileFormat.csv
        /// Whether a CSV header may have unknown names.
        package var ignoresUnknownColumns = false
        /// How many lines are sorted together.
        package var windowSize = 60_000
        /// Maximum bytes of their text, which limits the number of long lines.
        package var windowByteCount = 32 * 1_024 * 1_024
        /// Maximum number of Devices of a transaction.
        package var batchSize = 60_000
        /// The target duration of a transaction, to which the batch size adapts; `nil` always uses the maximum.
        package var batchTime: Duration?
        /// The clock that measures durations.
        package var timer: any DispatchClock = SystemDispatchClock()
        /// Whether nobody else uses the store, so that its indexes may be missing for a while.
        package var isAlone = false

        package init() {}
    }

    /// The state of an import into a store without indexes.
    private struct Bulk {
        var keys = ImportKeys()
        /// Lines that are written after the indexes.
        var later: [ImportedDevice] = []
    }

    private let stores: (devices: any DeviceImportStore, tags: any TagStore)
    private let app: AppID
    private let clock: any WallClock
    private let options: Options
    private let locale = DeviceLocale()
    private let reject: (Int, String) -> Void

    private var csv = CSVReader()
    private var lines = JSONLinesReader()
    private var columns: ImportColumns?
    private var tags: ImportTags
    private let attributes: ImportAttributes
    private var window: [ImportedDevice] = []
    private var windowByteCount = 0
    private var pace: BatchPace
    private var tagPace: BatchPace
    /// The running write; it is awaited before this value ends.
    private var write: Task<(Result<ImportCounts?, StoreError>, WindowWriter), Never>?
    /// `nil` unless the store dropped its indexes.
    private var bulk: Bulk?
    private var hasBegun = false

    /// The counts so far.
    package private(set) var counts = ImportCounts()

    /// Begins an import.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - store: Stores the Devices.
    ///   - tags: Stores the tags that the file names.
    ///   - attributes: Stores the attributes that the file names.
    ///   - clock: The time of the import.
    ///   - options: The settings.
    ///   - reject: Receives the number of a bad line and the reason.
    package init(
        app: AppID,
        store: any DeviceImportStore,
        tags: any TagStore,
        attributes: any AttributeStore,
        clock: any WallClock,
        options: Options = Options(),
        reject: @escaping (Int, String) -> Void
    ) {
        self.app = app
        stores = (store, tags)
        self.clock = clock
        self.options = options
        pace = BatchPace(limit: options.batchSize, time: options.batchTime)
        tagPace = BatchPace(limit: options.batchSize * 2, time: options.batchTime)
        self.tags = ImportTags(store: tags, app: app, clock: clock)
        self.attributes = ImportAttributes(store: attributes, app: app)
        self.reject = reject
    }

    /// Reads the next part of the file.
    ///
    /// - Parameter bytes: Any part of it; at most two windows of lines are in memory.
    /// - Throws: ``EngineError/invalid(_:)`` when the header is invalid, ``EngineError/notFound(_:)`` when there is no
    ///   such App, ``EngineError/store(_:)``; earlier batches stay saved then.
    package mutating func read(_ bytes: some Sequence<UInt8>) async throws(EngineError) {
        switch options.format {
        case .csv:
            var items: [CSVReader.Item] = []
            csv.read(bytes) { items.append($0) }
            for item in items { try await process(item) }
        case .jsonLines:
            var items: [(Int, Data?)] = []
            lines.read(bytes) { items.append(($0, $1)) }
            for (line, data) in items { try await process(data, line: line) }
        }
    }

    /// Reads the end of the file, and waits until everything is saved.
    ///
    /// - Returns: The counts of lines.
    /// - Throws: As ``read(_:)``.
    package mutating func finish() async throws(EngineError) -> ImportCounts {
        switch options.format {
        case .csv:
            var items: [CSVReader.Item] = []
            csv.finish { items.append($0) }
            for item in items { try await process(item) }
            guard columns != nil else { throw .invalid(FieldError(field: "", problem: "the file is empty")) }
        case .jsonLines:
            var items: [(Int, Data?)] = []
            lines.finish { items.append(($0, $1)) }
            for (line, data) in items { try await process(data, line: line) }
        }
        try await saveWindow()
        try await flush()
        try await endBulk()
        return counts
    }

    /// Aborts: waits for the running batch, and restores the store's indexes.
    package mutating func abandon() async throws(EngineError) {
        write?.cancel()
        _ = await write?.value
        write = nil
        try await endBulk()
    }

    // MARK: - Private

    private mutating func process(_ item: CSVReader.Item) async throws(EngineError) {
        guard let columns else { return try readHeader(item) }
        switch item {
        case .problem(let line, let problem):
            refuse(line, problem)
        case .record(let line, let fields):
            do throws(ImportColumns.Problem) {
                window.append(try checked(try columns.device(fields, line: line)))
                windowByteCount += fields.reduce(0) { $0 + $1.utf8.count }
            } catch {
                refuse(line, error.description)
            }
            if isWindowFull { try await saveWindow() }
        }
    }

    private mutating func process(_ data: Data?, line: Int) async throws(EngineError) {
        do throws(ImportColumns.Problem) {
            guard let data else {
                throw ImportColumns.Problem("is longer than \(JSONLinesReader.maximumLineSize) bytes")
            }
            window.append(try checked(try DeviceLine.imported(data, line: line)))
            windowByteCount += data.count
        } catch {
            refuse(line, error.description)
        }
        if isWindowFull { try await saveWindow() }
    }

    /// Refuses what a registration of the SDK is stored without: the file's author can correct it.
    private func checked(_ device: ImportedDevice) throws(ImportColumns.Problem) -> ImportedDevice {
        guard let problem = locale.problems(of: device.registration).first else { return device }
        let name = options.format == .csv ? problem.field.snakeCased : "registration." + problem.field
        throw ImportColumns.Problem(name + " " + problem.problem)
    }

    private var isWindowFull: Bool {
        window.count >= options.windowSize || windowByteCount >= options.windowByteCount
    }

    private mutating func readHeader(_ item: CSVReader.Item) throws(EngineError) {
        do throws(ImportColumns.Problem) {
            switch item {
            case .problem(_, let problem):
                throw ImportColumns.Problem("the header \(problem); is the file CSV, or JSON Lines?")
            case .record(_, let fields):
                columns = try ImportColumns(header: fields, ignoresUnknown: options.ignoresUnknownColumns)
            }
        } catch {
            throw .invalid(FieldError(field: "header", problem: error.description))
        }
    }

    private mutating func refuse(_ line: Int, _ problem: String) {
        counts.rejected += 1
        reject(line, problem)
    }

    private mutating func saveWindow() async throws(EngineError) {
        guard !window.isEmpty else { return }
        try await begin()
        var refused: [Int] = []
        try await tags.resolve(&window) { refused.append($0.line) }
        for line in refused { refuse(line, "names a new tag, and the App has the maximum number of tags") }
        refused = []
        try await attributes.save(&window) { refused.append($0.line) }
        for line in refused { refuse(line, "leaves its user with more than \(UserAttributes.maximumCount) attributes") }
        let now = clock.now()
        let ordered = order(at: now)
        window.removeAll(keepingCapacity: true)
        windowByteCount = 0
        try await flush()
        var writer = WindowWriter(
            store: stores.devices,
            app: app,
            at: now,
            timer: options.timer,
            pace: pace,
            tagPace: tagPace
        )
        write = Task {
            do throws(StoreError) {
                return (.success(try await writer.write(ordered)), writer)
            } catch {
                return (.failure(error), writer)
            }
        }
    }

    private mutating func begin() async throws(EngineError) {
        guard !hasBegun else { return }
        hasBegun = true
        guard options.isAlone else { return }
        let devices = stores.devices
        let isBulk = try await stored(try await devices.beginBulk())
        if isBulk { bulk = Bulk() }
    }

    private mutating func order(at now: Timestamp) -> ImportWindow {
        guard var state = bulk else { return ImportWindow(window, at: now) }
        // Clear the stored copy first, so that changing the local one does not copy it.
        bulk = nil
        defer { bulk = state }
        let ordered = ImportWindow(window, newTo: &state.keys, at: now)
        state.later += ordered.repeated
        return ordered
    }

    /// Waits until the running window is saved.
    private mutating func flush() async throws(EngineError) {
        guard let (written, writer) = await write?.value else { return }
        write = nil
        (pace, tagPace) = (writer.pace, writer.tagPace)
        let kept: ImportCounts?
        do { kept = try written.get() } catch { throw .store(error) }
        guard let kept else { throw .notFound(.app) }
        counts.add(kept)
    }

    /// Builds the indexes, and writes the lines that need them.
    private mutating func endBulk() async throws(EngineError) {
        guard let later = bulk?.later else { return }
        bulk = nil
        let (devices, app, now) = (stores.devices, app, clock.now())
        try await stored(try await devices.endBulk())
        for start in stride(from: 0, to: later.count, by: 5_000) {
            let lines = Array(later[start..<min(start + 5_000, later.count)])
            let kept = try await stored(try await devices.importDevices(lines, app: app, at: now))
            if let kept { counts.add(kept) }
        }
    }
}

extension ImportCounts {
    mutating func add(_ other: ImportCounts) {
        added += other.added
        replaced += other.replaced
        registered += other.registered
        rejected += other.rejected
    }
}
