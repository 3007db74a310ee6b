package import CarillonModel
package import CarillonOperatorModel

/// Imports into a store that serves requests.
package struct DeviceImports: Sendable {
    /// Two windows of this many lines are in memory: about 100 MB.
    private static let windowSize = 40_000
    /// A window also ends at this many bytes of text, so that long lines make it shorter.
    private static let windowByteCount = 16 * 1_024 * 1_024
    /// Maximum number of concurrent imports of a node.
    package static let limit = 4

    private let store: any DeviceImportStore
    private let tags: any TagStore
    private let attributes: any AttributeStore
    private let apps: Apps
    private let clock: any WallClock
    private let places = Places<AppID>(total: limit, perKey: 1)

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - store: Stores Devices.
    ///   - tags: Stores the tags that a file names.
    ///   - attributes: Stores the attributes that a file names.
    ///   - apps: Checks that an App exists.
    ///   - clock: The time of the import.
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

    /// Imports a file, part by part, in transactions of a few milliseconds.
    ///
    /// - Parameters:
    ///   - parts: The file's bytes.
    ///   - app: The App.
    ///   - format: The file format.
    ///   - ignoresUnknownColumns: Whether a CSV header may have unknown names.
    ///   - isDryRun: Whether nothing is written: the lines are only counted.
    /// - Returns: The counts of lines.
    /// - Throws: ``EngineError/conflict(_:)`` while the App has another import running on this node, or the node has
    ///   the maximum number; as ``DeviceImport/read(_:)``, and errors of the parts. What was saved before stays.
    package func importDevices<Parts: AsyncSequence>(
        _ parts: Parts,
        app: AppID,
        format: DeviceFileFormat,
        ignoresUnknownColumns: Bool = false,
        isDryRun: Bool = false
    ) async throws -> ImportReport where Parts.Element: Sequence<UInt8> {
        _ = try await apps.facts(app)
        let place = try place(app)
        defer { withExtendedLifetime(place) {} }
        var options = DeviceImport.Options()
        options.format = format
        options.ignoresUnknownColumns = ignoresUnknownColumns
        options.isDryRun = isDryRun
        options.windowSize = Self.windowSize
        options.windowByteCount = Self.windowByteCount
        options.batchSize = store.servingBatchLimit
        // Registrations wait for the transaction.
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
            return try await devices.finish().report(problems.list, isDryRun: isDryRun)
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
            case .key: .conflict("The App has an import running. Send the file when it has ended.")
            case .all:
                .conflict("\(Self.limit) imports are running, the maximum of a server. Send it later.")
            }
        }
    }
}

/// The first bad lines of an import; each import has its own.
private final class ProblemList {
    private(set) var list: [ImportReport.LineProblem] = []

    func add(line: Int, problem: String) {
        guard list.count < ImportReport.maximumProblems else { return }
        list.append(ImportReport.LineProblem(line: line, problem: problem))
    }
}
