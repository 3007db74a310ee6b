package import CarillonModel
import CarillonOperatorModel
import Foundation

/// Writes Devices of another service into a store, a window of them at a time, in constant memory.
///
/// Close it with ``finish()``. While a window is written, in one or more batches, the next one is filled.
package struct ImportWriter: ~Copyable {
    /// The state of an import into a store without indexes.
    private struct Bulk {
        var keys: ImportKeys
        /// Lines that are written after the indexes, at most ``maximumWindows`` windows of them.
        var later: [ImportedDevice] = []
        /// More lines than these would take too much memory; the indexes are built then, and the rest goes the slower way.
        static let maximumWindows = 4
    }

    private let stores: (devices: any DeviceImportStore, tags: any TagStore)
    private let app: AppID
    private let clock: any WallClock
    private let options: DeviceImport.Options
    private let reject: (Int, String) -> Void

    private var tags: ImportTags
    private let attributes: ImportAttributes
    private var window: [ImportedDevice] = []
    private var users: [ImportedUser] = []
    private var windowByteCount = 0
    /// The time of the window, which the consents in it are compared with.
    private var windowTime: Timestamp?
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
    ///   - tags: Stores the tags that lines name.
    ///   - attributes: Stores the attributes that lines name.
    ///   - clock: The time of the import.
    ///   - options: The settings.
    ///   - reject: Receives the number of a bad line and the reason.
    package init(
        app: AppID,
        store: any DeviceImportStore,
        tags: any TagStore,
        attributes: any AttributeStore,
        clock: any WallClock,
        options: DeviceImport.Options = DeviceImport.Options(),
        reject: @escaping (Int, String) -> Void
    ) {
        self.app = app
        stores = (store, tags)
        self.clock = clock
        self.options = options
        pace = BatchPace(limit: options.batchSize, time: options.batchTime)
        tagPace = BatchPace(limit: options.batchSize * 2, time: options.batchTime)
        self.tags = ImportTags(store: tags, app: app, clock: clock)
        self.attributes = ImportAttributes(store: attributes, app: app, isAlone: options.isAlone)
        self.reject = reject
    }

    /// Adds a Device; one that consents since a time in the future is refused.
    ///
    /// The clock of the other service may be a little ahead: up to ``clockTolerance`` in the future is now.
    ///
    /// - Parameters:
    ///   - device: The Device.
    ///   - byteCount: The length of its text; two windows of them are in memory.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App, ``EngineError/store(_:)``; earlier batches stay
    ///   saved then.
    package mutating func append(_ device: ImportedDevice, byteCount: Int) async throws(EngineError) {
        var device = device
        if let problem = resolve(&device.consentTimes) { return refuse(device.line, problem) }
        window.append(device)
        windowByteCount += byteCount
        if isWindowFull { try await saveWindow() }
    }

    /// Adds tags and attributes of a User without a Device.
    ///
    /// - Throws: As ``append(_:byteCount:)-(ImportedDevice,_)``.
    package mutating func append(_ user: ImportedUser, byteCount: Int) async throws(EngineError) {
        users.append(user)
        windowByteCount += byteCount
        if isWindowFull { try await saveWindow() }
    }

    /// Counts a bad line.
    package mutating func refuse(_ line: Int, _ problem: String) {
        counts.rejected += 1
        reject(line, problem)
    }

    /// Waits until everything is saved.
    ///
    /// - Returns: The counts of lines.
    /// - Throws: As ``append(_:byteCount:)-(ImportedDevice,_)``.
    package mutating func finish() async throws(EngineError) -> ImportCounts {
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

    /// How far the clock of the service that made the file may be ahead.
    private static var clockTolerance: Duration { .seconds(300) }

    /// Makes times that are a little in the future now; others there are a problem.
    ///
    /// A time in the future would hold before everything that the person decides until then.
    private mutating func resolve(_ times: inout ConsentTimes) -> String? {
        guard times != ConsentTimes() else { return nil }
        let now = windowTime ?? clock.now()
        windowTime = now
        let latest = now.advanced(by: Self.clockTolerance)
        let named = [("notifications", times.notifications), ("ads", times.ads), ("ads at night", times.nightAds)]
        if let late = named.first(where: { $0.1.map { $0 > latest } ?? false }) {
            return "consents to \(late.0) since a time that is in the future"
        }
        times.notifications = times.notifications.map { min($0, now) }
        times.ads = times.ads.map { min($0, now) }
        times.nightAds = times.nightAds.map { min($0, now) }
        return nil
    }

    private var isWindowFull: Bool {
        window.count + users.count >= options.windowSize || windowByteCount >= options.windowByteCount
    }

    private mutating func saveWindow() async throws(EngineError) {
        windowTime = nil
        guard !window.isEmpty || !users.isEmpty else { return }
        if options.isDryRun { return try await countWindow() }
        try await begin()
        var refused: [Int] = []
        try await tags.resolve(&window) { refused.append($0.line) }
        for line in refused { refuse(line, "names a new tag, and the App has the maximum number of tags") }
        refused = []
        try await attributes.save(&window, users) { refused.append($0) }
        for line in refused { refuse(line, "leaves its user with more than \(UserAttributes.maximumCount) attributes") }
        try await saveUsers(but: Set(refused))
        let now = clock.now()
        let ordered = order(at: now)
        window.removeAll(keepingCapacity: true)
        windowByteCount = 0
        try await flush()
        let isBulkOver = laterIsFull
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
        guard isBulkOver else { return }
        try await flush()
        try await endBulk()
    }

    private var laterIsFull: Bool {
        (bulk?.later.count ?? 0) >= options.windowSize * Bulk.maximumWindows
    }

    /// Says what would become of a window.
    private mutating func countWindow() async throws(EngineError) {
        let (store, app, lines) = (stores.devices, app, window)
        guard let kept = try await stored(try await store.preview(lines, app: app)) else { throw .notFound(.app) }
        counts.add(kept)
        counts.users += users.count
        window.removeAll(keepingCapacity: true)
        users.removeAll()
        windowByteCount = 0
    }

    /// Saves the tags of Users without a Device in the window; their attributes are saved already.
    private mutating func saveUsers(but refused: Set<Int>) async throws(EngineError) {
        guard !users.isEmpty else { return }
        let numbers = try await tags.resolve(users)
        // Devices are found by their Users, which takes the indexes.
        if !numbers.isEmpty {
            try await flush()
            try await endBulk()
        }
        let list = numbers.sorted { $0.key.rawValue.utf8.lexicographicallyPrecedes($1.key.rawValue.utf8) }
        let (store, app, step) = (stores.devices, app, options.isAlone ? 20_000 : 100)
        for start in stride(from: 0, to: list.count, by: step) {
            let some = list[start..<min(start + step, list.count)].map { (user: $0.key, tags: $0.value) }
            try await stored(try await store.addTags(some, app: app))
        }
        counts.users += users.count { !refused.contains($0.line) }
        users.removeAll()
    }

    private mutating func begin() async throws(EngineError) {
        guard !hasBegun else { return }
        hasBegun = true
        guard options.isAlone else { return }
        let devices = stores.devices
        let isBulk = try await stored(try await devices.beginBulk())
        if isBulk {
            bulk = Bulk(keys: ImportKeys(tokens: !options.hasDistinctTokens, users: options.mayNameTags))
        }
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
        users += other.users
        consents = consents.adding(other.consents)
    }
}
