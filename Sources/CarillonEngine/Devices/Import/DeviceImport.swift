package import CarillonModel
import Foundation

/// Reads a file of Devices into a store, in constant memory.
///
/// Bad lines are reported and left out; the others are saved. Feed it with ``read(_:)`` and close it with ``finish()``.
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
        /// Whether nothing is written: lines are only counted.
        package var isDryRun = false
        /// Whether no two lines have the same token; then no token needs to be remembered.
        package var hasDistinctTokens = false
        /// Whether lines may name tags, which all devices of a User have; otherwise no User needs to be remembered.
        package var mayNameTags = true

        package init() {}
    }

    private let options: Options
    private let locale = DeviceLocale()
    private var writer: ImportWriter
    private var csv = CSVReader()
    private var lines = JSONLinesReader()
    private var columns: ImportColumns?

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
        self.options = options
        writer = ImportWriter(
            app: app,
            store: store,
            tags: tags,
            attributes: attributes,
            clock: clock,
            options: options,
            reject: reject
        )
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
        return try await writer.finish()
    }

    /// Aborts: waits for the running batch, and restores the store's indexes.
    package mutating func abandon() async throws(EngineError) {
        try await writer.abandon()
    }

    // MARK: - Private

    private mutating func process(_ item: CSVReader.Item) async throws(EngineError) {
        guard let columns else { return try readHeader(item) }
        switch item {
        case .problem(let line, let problem):
            writer.refuse(line, problem)
        case .record(let line, let fields):
            let device: ImportedDevice
            do throws(ImportColumns.Problem) {
                device = try checked(try columns.device(fields, line: line))
            } catch {
                return writer.refuse(line, error.description)
            }
            try await writer.append(device, byteCount: fields.reduce(0) { $0 + $1.utf8.count })
        }
    }

    private mutating func process(_ data: Data?, line: Int) async throws(EngineError) {
        guard let data else { return writer.refuse(line, "is longer than \(JSONLinesReader.maximumLineSize) bytes") }
        let read: ImportedLine
        do throws(ImportColumns.Problem) {
            read = try DeviceLine.imported(data, line: line)
            if case .device(let device) = read { _ = try checked(device) }
        } catch {
            return writer.refuse(line, error.description)
        }
        switch read {
        case .device(let device): try await writer.append(device, byteCount: data.count)
        case .user(let user): try await writer.append(user, byteCount: data.count)
        }
    }

    /// Refuses what a registration of the SDK is stored without: the file's author can correct it.
    private func checked(_ device: ImportedDevice) throws(ImportColumns.Problem) -> ImportedDevice {
        guard let problem = locale.problems(of: device.registration).first else { return device }
        let name = options.format == .csv ? problem.field.snakeCased : "registration." + problem.field
        throw ImportColumns.Problem(name + " " + problem.problem)
    }

    private mutating func readHeader(_ item: CSVReader.Item) throws(EngineError) {
        do throws(ImportColumns.Problem) {
            switch item {
            case .problem(_, "has a NUL character"):
                // ASCII in UTF-16 has one beside each letter.
                throw ImportColumns.Problem("the file is in UTF-16, not UTF-8; save it as UTF-8")
            case .problem(_, let problem):
                throw ImportColumns.Problem("the header \(problem); is the file CSV, or JSON Lines?")
            case .record(_, let fields):
                columns = try ImportColumns(header: fields, ignoresUnknown: options.ignoresUnknownColumns)
            }
        } catch {
            throw .invalid(FieldError(field: "header", problem: error.description))
        }
    }
}
