import CarillonModel

/// Adapts the number of Devices of a transaction to a target duration.
struct BatchPace: Sendable {
    /// Below this, the disk determines the duration, not the number of Devices.
    private static let least = 250

    private(set) var size: Int
    private let limit: Int
    private let time: Duration?

    /// Begins with a small size when there is a target.
    init(limit: Int, time: Duration?) {
        self.limit = limit
        self.time = time
        size = time == nil ? limit : min(limit, Self.least)
    }

    /// Adapts the size to a batch's duration: halves it when that was too long, adds a quarter when it was below three
    /// quarters of the target.
    mutating func adapt(to taken: Duration) {
        guard let time else { return }
        if taken > time {
            size = max(min(limit, Self.least), size / 2)
        } else if taken * 4 < time * 3 {
            size = min(limit, size + size / 4 + 1)
        }
    }
}

/// Writes a window, batch by batch.
struct WindowWriter: Sendable {
    let store: any DeviceImportStore
    let app: AppID
    let at: Timestamp
    let timer: any DispatchClock
    /// For Devices.
    var pace: BatchPace
    /// For tags that are saved before their Devices.
    var tagPace: BatchPace

    /// - Returns: The counts; `nil` when there is no such App. After cancellation, the counts so far.
    mutating func write(_ window: ImportWindow) async throws(StoreError) -> ImportCounts? {
        if window.isBulk { return try await store.importNew(window.plain, tags: window.tags, app: app, at: at) }
        guard !window.plain.isEmpty else { return try await writeDevices(window, from: nil) }
        guard let first = try await store.beginWindow(window.plain.count, app: app) else { return nil }
        do throws(StoreError) {
            if store.takesTagsFirst { try await writeTags(window.tags.map { $0.moved(by: first) }) }
            let counts = try await writeDevices(window, from: first)
            try await store.endWindow(first, app: app, isWhole: counts != nil && !Task.isCancelled)
            return counts
        } catch {
            // If this fails, opening the store the next time removes the tags.
            try? await store.endWindow(first, app: app, isWhole: false)
            throw error
        }
    }

    // MARK: - Private

    private mutating func writeTags(_ tags: [ImportedTag]) async throws(StoreError) {
        var rest = tags[...]
        while !rest.isEmpty, !Task.isCancelled {
            let batch = rest.prefix(tagPace.size)
            let begin = timer.now()
            try await store.importTags(Array(batch), app: app)
            rest = rest.dropFirst(batch.count)
            if batch.count == tagPace.size { tagPace.adapt(to: timer.now() - begin) }
        }
    }

    /// - Parameters:
    ///   - window: The lines.
    ///   - first: The number of the first plain line's Device; `nil` when they have none.
    /// - Returns: The counts; `nil` when there is no such App.
    /// - Throws: ``StoreError``.
    private mutating func writeDevices(
        _ window: ImportWindow,
        from first: DeviceNumber?
    ) async throws(StoreError) -> ImportCounts? {
        var counts = ImportCounts()
        // Lines that may share a key must be written in their order.
        for (lines, first, width) in [(window.plain, first, store.batchesAtOnce), (window.repeated, nil, 1)] {
            var rest = lines[...]
            while !rest.isEmpty, !Task.isCancelled {
                let batches = (0..<width).map { _ in
                    defer { rest = rest.dropFirst(pace.size) }
                    return numbered(rest.prefix(pace.size), from: first)
                }
                let begin = timer.now()
                for kept in try await write(batches.filter { !$0.isEmpty }) {
                    guard let kept else { return nil }
                    counts.add(kept)
                }
                if batches.allSatisfy({ $0.count == pace.size }) { pace.adapt(to: timer.now() - begin) }
            }
        }
        return counts
    }

    /// Assigns lines the numbers of their indices.
    private func numbered(_ lines: ArraySlice<ImportedDevice>, from first: DeviceNumber?) -> [ImportedDevice] {
        guard let first else { return Array(lines) }
        return zip(lines.indices, lines).map { place, line in
            var line = line
            line.number = DeviceNumber(rawValue: first.rawValue + Int64(place))
            return line
        }
    }

    /// Writes batches concurrently, and waits for all of them.
    private func write(_ batches: [[ImportedDevice]]) async throws(StoreError) -> [ImportCounts?] {
        let tasks = batches.map { lines in
            Task { [store, app, at] () async -> Result<ImportCounts?, StoreError> in
                do throws(StoreError) {
                    return .success(try await store.importDevices(lines, app: app, at: at))
                } catch {
                    return .failure(error)
                }
            }
        }
        var results: [Result<ImportCounts?, StoreError>] = []
        for task in tasks { results.append(await task.value) }
        return try results.map { result throws(StoreError) in try result.get() }
    }
}
