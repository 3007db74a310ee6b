import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonStore
import NIOConcurrencyHelpers
import Testing

/// Limits of imports on a server.
struct ImportBoundTests {
    private func line(_ number: Int, padding: Int = 0) -> String {
        let token = String(repeating: "0", count: 60) + String(1_000 + number)
        return "\(token),\(String(repeating: "x", count: padding))\n"
    }

    @Test("S1-m8 Long lines fill a window by bytes, before the maximum number of lines")
    func windowsByBytes() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let store = WindowStore(registry.stores.deviceImports)
        var options = DeviceImport.Options()
        (options.windowSize, options.windowByteCount) = (100, 10_000)
        options.ignoresUnknownColumns = true
        var devices = DeviceImport(
            app: app,
            store: store,
            tags: registry.stores.tags,
            attributes: registry.stores.attributes,
            clock: registry.clock,
            options: options
        ) { line, problem in Issue.record("\(line): \(problem)") }

        try await devices.read(Array("token,note\n".utf8))
        for number in 0..<10 { try await devices.read(Array(line(number, padding: 3_000).utf8)) }
        for number in 10..<250 { try await devices.read(Array(line(number).utf8)) }
        let counts = try await devices.finish()

        #expect(counts.added == 250)
        #expect(store.windows == [4, 4, 63, 100, 79])
    }

    @Test("X-57 Lines that must wait for an empty store's indexes are a bounded number: then the indexes are built")
    func boundsWaitingLines() async throws {
        let registry = try await Registry()
        let app = try await registry.app().app.id
        let store = WindowStore(registry.stores.deviceImports)
        var options = DeviceImport.Options()
        (options.windowSize, options.isAlone, options.hasDistinctTokens) = (10, true, true)
        var devices = DeviceImport(
            app: app,
            store: store,
            tags: registry.stores.tags,
            attributes: registry.stores.attributes,
            clock: registry.clock,
            options: options
        ) { line, problem in Issue.record("\(line): \(problem)") }

        try await devices.read(Array("token,user,tags\n".utf8))
        for number in 0..<200 {
            let token = String(line(number).prefix(64))
            try await devices.read(Array("\(token),u-\(number / 2),t-\(number / 2 % 3)\n".utf8))
        }
        let counts = try await devices.finish()

        // Each window has five Users with two lines: the second ones wait.
        #expect(store.bulks == Array(repeating: 5, count: 8) + [0])
        #expect(counts.added == 200)
        let user = try #require(UserID(rawValue: "u-99"))
        #expect(try await registry.stores.tags.tags(of: user, app: app).count == 1)
    }

    @Test("S1-m8 An App has one import at a time; a second one is refused, and other Apps' imports run")
    func oneAtATime() async throws {
        let registry = try await Registry()
        let (app, other) = (try await registry.app().app.id, try await registry.app().app.id)
        let imports = registry.engine.imports
        let (parts, sender) = AsyncStream.makeStream(of: [UInt8].self)
        let reads = AsyncStream.makeStream(of: Void.self)
        let slow = parts.map { part in
            reads.continuation.yield()
            return part
        }
        async let first = imports.importDevices(slow, app: app, format: .csv)
        sender.yield(Array("token\n".utf8))
        for await _ in reads.stream { break }

        let file = AsyncStream { continuation in
            continuation.yield(Array(("token\n" + line(1).prefix(64) + "\n").utf8))
            continuation.finish()
        }
        await #expect(throws: EngineError.conflict("The App has an import running. Send the file when it has ended.")) {
            try await imports.importDevices(file, app: app, format: .csv)
        }
        let second = try await imports.importDevices(file, app: other, format: .csv)
        #expect(second.added == 1)

        sender.yield(Array((line(2).prefix(64) + "\n").utf8))
        sender.finish()
        #expect(try await first.added == 1)
        let third = AsyncStream { continuation in
            continuation.yield(Array(("token\n" + line(3).prefix(64) + "\n").utf8))
            continuation.finish()
        }
        #expect(try await imports.importDevices(third, app: app, format: .csv).added == 1)
    }

    @Test("S1-m8 A node limits concurrent imports, and one that ends makes room")
    func boundsNode() throws {
        let places = Places<Int>(total: 2, perKey: 1)
        let first = try places.acquire(1)
        #expect(throws: Places<Int>.Refusal.key) { try places.acquire(1) }
        do {
            let second = try places.acquire(2)
            #expect(throws: Places<Int>.Refusal.all) { try places.acquire(3) }
            withExtendedLifetime(second) {}
        }
        #expect(places.count == 1)
        _ = try places.acquire(3)
        withExtendedLifetime(first) {}
    }
}

/// Records the sizes of the windows that another store gets.
private final class WindowStore: DeviceImportStore {
    private let store: any DeviceImportStore
    private let sizes = NIOLockedValueBox<[Int]>([])

    init(_ store: any DeviceImportStore) { self.store = store }

    var windows: [Int] { sizes.withLockedValue { $0 } }
    /// The sizes of what came without indexes, and 0 when they were built.
    let bulkSizes = NIOLockedValueBox<[Int]>([])
    var bulks: [Int] { bulkSizes.withLockedValue { $0 } }
    var servingBatchLimit: Int { store.servingBatchLimit }
    var batchesAtOnce: Int { store.batchesAtOnce }
    var takesTagsFirst: Bool { store.takesTagsFirst }

    func beginWindow(_ count: Int, app: AppID) async throws(StoreError) -> DeviceNumber? {
        sizes.withLockedValue { $0.append(count) }
        return try await store.beginWindow(count, app: app)
    }

    func importTags(_ tags: [ImportedTag], app: AppID) async throws(StoreError) {
        try await store.importTags(tags, app: app)
    }

    func endWindow(_ first: DeviceNumber, app: AppID, isWhole: Bool) async throws(StoreError) {
        try await store.endWindow(first, app: app, isWhole: isWhole)
    }

    func importDevices(_ lines: [ImportedDevice], app: AppID, at: Timestamp) async throws(StoreError) -> ImportCounts? {
        try await store.importDevices(lines, app: app, at: at)
    }

    func preview(_ lines: [ImportedDevice], app: AppID) async throws(StoreError) -> ImportCounts? {
        try await store.preview(lines, app: app)
    }

    func addTags(_ users: [(user: UserID, tags: [Int64])], app: AppID) async throws(StoreError) {
        try await store.addTags(users, app: app)
    }

    func beginBulk() async throws(StoreError) -> Bool { try await store.beginBulk() }

    func importNew(
        _ lines: [ImportedDevice],
        tags: [ImportedTag],
        app: AppID,
        at: Timestamp
    ) async throws(StoreError) -> ImportCounts? {
        bulkSizes.withLockedValue { $0.append(lines.count) }
        return try await store.importNew(lines, tags: tags, app: app, at: at)
    }

    func endBulk() async throws(StoreError) {
        bulkSizes.withLockedValue { $0.append(0) }
        try await store.endBulk()
    }
}
