import CarillonModel
import CarillonReaders

/// Why a file is not imported at all.
package struct ContentFileProblem: Error, Hashable, Sendable {
    /// The reason, as it follows "the file".
    package var text: String

    package init(_ text: String) { self.text = text }
}

/// What came of a file.
package struct ContentFileReport: Hashable, Sendable {
    /// Records that were read.
    package var read = 0
    /// Records that became no row.
    package var skipped = 0
    /// Values that did not fit an optional field and were left out, by field.
    package var invalidValues: [String: Int] = [:]
    /// The first reasons for which records were skipped, with their line or record number.
    package var problems: [String] = []

    /// Maximum number of reported reasons.
    package static let maximumProblemCount = 20

    package init() {}

    /// Notes why a record, or a further row of one, is left out.
    ///
    /// - Parameters:
    ///   - place: Where the file has it.
    ///   - reason: Why, as the rest of a sentence that begins with the place.
    ///   - isCounted: Whether it is a record of the file of its own; false for a further row of a record, which was counted.
    package mutating func skip(_ place: String, _ reason: String, isCounted: Bool = true) {
        if isCounted { skipped += 1 }
        guard problems.count < Self.maximumProblemCount else { return }
        problems.append("\(place) \(reason)")
    }
}

/// The rows of a file, typed and in order.
package struct ContentFile: Hashable, Sendable {
    /// The rows of each table that the file fills.
    package var tables: [String: [ContentRow]]
    package var report: ContentFileReport

    /// How much a file may have.
    package struct Limits: Hashable, Sendable {
        /// Maximum bytes of a file as it is sent or fetched.
        package var fileSize = 64 << 20
        /// Maximum bytes of its text, unpacked.
        package var textSize = 512 << 20
        /// Maximum number of rows of a table.
        package var rowCount = ContentTable.maximumRowCount
        /// Maximum bytes of all values of its rows.
        package var valueSize = 256 << 20
        package var archive = ZipArchive.Limits()

        package init() {}
    }

    /// Reads a file.
    ///
    /// A record that cannot be read is skipped, and reading goes on with the next one.
    ///
    /// - Parameters:
    ///   - bytes: The file, which may be compressed with gzip.
    ///   - format: What it is.
    ///   - definition: The content set.
    ///   - table: The table that it fills, for formats of one table; `nil` for the only one.
    ///   - limits: How much it may have.
    ///   - isStopped: Whether nobody wants the file any more; asked with each record.
    /// - Throws: ``ContentFileProblem`` when the file is not what it should be, or too large.
    package init(
        _ bytes: [UInt8],
        _ format: ContentFormat,
        for definition: ContentSetDefinition,
        table: String? = nil,
        limits: Limits = Limits(),
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) throws(ContentFileProblem) {
        guard bytes.count <= limits.fileSize else {
            throw ContentFileProblem("has more than \(limits.fileSize) bytes")
        }
        let tables = try Self.tables(format, definition, table)
        var collector = ContentCollector(tables, timeZone: definition.timeZone, limits, isStopped: isStopped)
        do {
            switch format {
            case .csv: try CSVImport.read(bytes, limits, &collector)
            case .json: try ObjectImport.read(bytes, limits, &collector)
            case .geojson: try GeoJSONImport.read(bytes, limits, &collector)
            case .culture: try CultureImport.read(bytes, limits, &collector)
            case .gtfs: try GTFSImport.read(bytes, limits, &collector)
            case .tdx: try TDXImport.read(bytes, limits, &collector)
            }
        } catch {
            throw Self.problem(error)
        }
        guard collector.report.read > 0 else { throw ContentFileProblem("has no records") }
        // Such as a page of HTML with an error: the last good rows stay.
        guard collector.hasRows else {
            let first = collector.report.problems.first.map { ": \($0)" } ?? ""
            throw ContentFileProblem("has no record that can be read" + first)
        }
        report = collector.report
        self.tables = collector.finished()
    }

    /// The tables that a file fills.
    ///
    /// - Throws: ``ContentFileProblem`` when the set has none of them, or several where one has to be named.
    static func tables(
        _ format: ContentFormat,
        _ definition: ContentSetDefinition,
        _ name: String?
    ) throws(ContentFileProblem) -> [ContentTable] {
        if format.fillsOneTable {
            if let name {
                guard let table = definition.table(name) else { throw ContentFileProblem("is for no table of the set") }
                return [table]
            }
            guard definition.tables.count == 1 else {
                throw ContentFileProblem("needs the name of the table that it fills")
            }
            return definition.tables
        }
        let tables = definition.tables.filter { format.tables.contains($0.name) }
        guard !tables.isEmpty else {
            throw ContentFileProblem(
                "fills the tables \(format.tables.joined(separator: ", ")), which the set does not have"
            )
        }
        return tables
    }

    // MARK: - Private

    private static func problem(_ error: any Error) -> ContentFileProblem {
        switch error {
        case let problem as ContentFileProblem: problem
        case let failure as ZipArchive.Failure: ContentFileProblem(failure.description)
        case let objection as TextInput.Objection: ContentFileProblem("cannot be read: \(objection)")
        case GzipReader.Damage.cutOff: ContentFileProblem("ends too early")
        default: ContentFileProblem("is damaged")
        }
    }
}

/// Collects the rows of a file's records, within limits.
struct ContentCollector {
    /// The rows of one table.
    private struct Part {
        let builder: ContentRowBuilder
        var rows: [ContentRow] = []
        var keys: Set<String> = []
    }

    private var parts: [String: Part] = [:]
    private let limits: ContentFile.Limits
    private let isStopped: @Sendable () -> Bool
    private var size = 0
    var report = ContentFileReport()

    init(
        _ tables: [ContentTable],
        timeZone: String,
        _ limits: ContentFile.Limits,
        isStopped: @escaping @Sendable () -> Bool = { false }
    ) {
        self.limits = limits
        self.isStopped = isStopped
        for table in tables {
            parts[table.name] = Part(builder: ContentRowBuilder(table, timeZone: timeZone))
        }
    }

    /// The only table's builder.
    var builder: ContentRowBuilder? { parts.count == 1 ? parts.values.first?.builder : nil }

    /// Whether any table has a row.
    var hasRows: Bool { parts.values.contains { !$0.rows.isEmpty } }

    /// Counts a record that cannot be read.
    mutating func skip(_ place: String, _ reason: String) {
        report.read += 1
        report.skip(place, reason)
    }

    /// Adds a record.
    ///
    /// - Parameters:
    ///   - record: Its members.
    ///   - table: The table's name; `nil` for the only one. What is for no table of the set is ignored.
    ///   - place: Where the file has it, for the report.
    ///   - isCounted: Whether it is a record of the file of its own.
    /// - Throws: ``ContentFileProblem`` when there are too many, or nobody wants the file any more.
    mutating func add(
        _ record: [String: JSONValue],
        to table: String? = nil,
        at place: @autoclosure () -> String,
        isCounted: Bool = true
    ) throws(ContentFileProblem) {
        guard !isStopped() else { throw ContentFileProblem("is not wanted any more") }
        if isCounted { report.read += 1 }
        // A copy of the part would have each row copy all that were added before it.
        guard let name = table ?? parts.keys.first, let builder = parts[name]?.builder else { return }
        do throws(ContentRowBuilder.Problem) {
            let (row, invalid) = try builder.row(record)
            for field in invalid { report.invalidValues[field, default: 0] += 1 }
            guard parts[name]?.keys.insert(row.key).inserted == true else {
                return report.skip(place(), "has the key of an earlier record", isCounted: isCounted)
            }
            parts[name]?.rows.append(row)
            size += row.size
        } catch {
            report.skip(place(), error.text, isCounted: isCounted)
        }
        guard parts[name]?.rows.count ?? 0 <= limits.rowCount else {
            throw ContentFileProblem("has more than \(limits.rowCount) records for a table")
        }
        guard size <= limits.valueSize else {
            throw ContentFileProblem("has more than \(limits.valueSize) bytes of values")
        }
    }

    /// The rows of each table in their order.
    func finished() -> [String: [ContentRow]] {
        parts.mapValues { part in
            let indexes = part.builder.table.order.compactMap(part.builder.table.index(of:))
            return part.rows.sorted { left, right in
                for index in indexes where left.values[index] != right.values[index] {
                    // Rows without the value come last.
                    guard let first = left.values[index] else { return false }
                    guard let second = right.values[index] else { return true }
                    return first < second
                }
                return left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
            }
        }
    }
}

extension ContentRow {
    /// About how many bytes its values have.
    fileprivate var size: Int {
        values.reduce(key.utf8.count + 64) { sum, value in
            switch value {
            case .text(let text): sum + text.utf8.count
            case .list(let texts): sum + texts.reduce(0) { $0 + $1.utf8.count + 16 }
            case .json(let json): sum + json.size
            default: sum + 16
            }
        }
    }
}

extension JSONValue {
    fileprivate var size: Int {
        switch self {
        case .string(let text): text.utf8.count + 16
        case .array(let elements): elements.reduce(16) { $0 + $1.size }
        case .object(let members): members.reduce(16) { $0 + $1.key.utf8.count + $1.value.size }
        case .null, .bool, .integer, .number: 16
        }
    }
}
