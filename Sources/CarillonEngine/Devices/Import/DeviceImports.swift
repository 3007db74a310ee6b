package import CarillonModel
package import CarillonOperatorModel

/// Imports into a store that is serving.
package struct DeviceImports: Sendable {
    /// Two windows of so many lines are held: some 100 MB.
    private static let windowSize = 40_000

    private let store: any DeviceImportStore
    private let tags: any TagStore
    private let attributes: any AttributeStore
    private let apps: Apps
    private let clock: any WallClock

    /// Joins it together.
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
    /// - Throws: As ``DeviceImport/read(_:)``, and what reading the parts throws. What was kept before stays.
    package func take<Parts: AsyncSequence>(
        _ parts: Parts,
        app: AppID,
        format: DeviceFileFormat,
        ignoresUnknownColumns: Bool = false
    ) async throws -> ImportReport where Parts.Element: Sequence<UInt8> {
        _ = try await apps.facts(app)
        var options = DeviceImport.Options()
        options.format = format
        options.ignoresUnknownColumns = ignoresUnknownColumns
        options.windowSize = Self.windowSize
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
}

/// The first bad lines of an import; used by one import alone.
private final class ProblemList {
    private(set) var list: [ImportReport.LineProblem] = []

    func add(line: Int, problem: String) {
        guard list.count < ImportReport.maximumProblems else { return }
        list.append(ImportReport.LineProblem(line: line, problem: problem))
    }
}
