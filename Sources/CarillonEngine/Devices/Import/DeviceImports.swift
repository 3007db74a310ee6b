package import CarillonModel
package import CarillonOperatorModel

/// Imports into a store that is serving.
package struct DeviceImports: Sendable {
    /// Two windows of so many lines are held: some 100 MB.
    private static let windowSize = 40_000
    /// Of long lines fewer: a window is full as well when its text has so many bytes.
    private static let windowByteCount = 16 * 1_024 * 1_024
    /// How many imports run at once on a node.
    package static let limit = 4

    private let store: any DeviceImportStore
    private let tags: any TagStore
    private let attributes: any AttributeStore
    private let apps: Apps
    private let clock: any WallClock
    private let places = Places<AppID>(total: limit, perKey: 1)

    /// Makes the service.
    ///
    /// - Parameters:
    ///   - store: Keeps Devices.
    ///   - tags: Keeps the tags that a file names.
    ///   - attributes: Keeps the attributes that a file names.
    ///   - apps: Knows which Apps there are.
    ///   - clock: Tells when Devices were imported.
    package init(
        store: any DeviceImportStore,
        tags: any TagStore,
        attributes: any AttributeStore,
        apps: Apps,
        clock: any WallClock
    ) {
        self.store = store
        self.tags = tags
        self.attributes = attributes
        self.apps = apps
        self.clock = clock
    }

    /// Takes a file, part by part, in transactions of a few milliseconds.
    ///
    /// - Parameters:
    ///   - parts: The file's bytes.
    ///   - app: Whose Devices.
    ///   - format: In which form.
    ///   - ignoresUnknownColumns: Whether a CSV's header may have names that are not known.
    /// - Returns: What became of the lines.
    /// - Throws: ``EngineError/conflict(_:)`` while the App has another import under way on this node, or the node has as
    ///   many as it runs at once; as ``DeviceImport/read(_:)``, and what reading the parts throws. What was kept before
    ///   stays.
    package func take<Parts: AsyncSequence>(
        _ parts: Parts,
        app: AppID,
        format: DeviceFileFormat,
        ignoresUnknownColumns: Bool = false
    ) async throws -> ImportReport where Parts.Element: Sequence<UInt8> {
        _ = try await apps.facts(app)
        let place = try place(app)
        defer { withExtendedLifetime(place) {} }
        var options = DeviceImport.Options()
        options.format = format
        options.ignoresUnknownColumns = ignoresUnknownColumns
        options.windowSize = Self.windowSize
        options.windowByteCount = Self.windowByteCount
        options.batchSize = store.servingBatchLimit
        // Registrations wait for it.
        options.batchTime = .milliseconds(25)
        let problems = ProblemList()
        var devices = DeviceImport(
            app: app,
            store: store,
            tags: tags,
            attributes: attributes,
            clock: clock,
            options: options,
            reject: problems.add
        )
        do {
            for try await part in parts { try await devices.read(part) }
            let counts = try await devices.finish()
            return ImportReport(
                added: counts.added,
                replaced: counts.replaced,
                registered: counts.registered,
                rejected: counts.rejected,
                problems: problems.list
            )
        } catch {
            try await devices.abandon()
            throw error
        }
    }

    private func place(_ app: AppID) throws(EngineError) -> Places<AppID>.Place {
        do {
            return try places.acquire(app)
        } catch {
            throw switch error {
            case .key: .conflict("The App has an import under way. Send the file when it has ended.")
            case .all:
                .conflict("\(Self.limit) imports are under way, as many as a server runs at once. Send it later.")
            }
        }
    }
}

/// The first bad lines of an import; used by one import alone.
private final class ProblemList {
    private(set) var list: [ImportReport.LineProblem] = []

    func add(line: Int, problem: String) {
        guard list.count < ImportReport.maximumProblems else { return }
        list.append(ImportReport.LineProblem(line: line, problem: problem))
    }
}
