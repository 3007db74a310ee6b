package import CarillonModel
package import CarillonReaders

/// How one service's files are read: the one protocol that each of them adopts.
///
/// A format is a value without I/O. It is asked for one row after the other, and answers with what becomes of it.
package protocol SourceFormat: Sendable {
    /// Of the command, such as `onesignal`.
    static var name: String { get }
    /// How the service is called.
    static var title: String { get }
    /// The members of objects that are held; `nil` for all.
    static var members: Set<String>? { get }
    /// The names of arrays in whose elements the objects are.
    static var envelopes: Set<String> { get }
    /// Whether a table has a header.
    static var hasHeader: Bool { get }
    /// Whether records may have tags.
    static var mayNameTags: Bool { get }
    /// The names by which a file is told to be the service's: all names of any of these sets.
    static var signatures: [Set<String>] { get }
    /// Whether files may have JSON.
    static var hasObjects: Bool { get }

    init(_ options: SourceOptions)

    /// Whether what becomes of a table's row does not depend on the rows before.
    static var hasIndependentRows: Bool { get }

    /// Reads the header of a table.
    ///
    /// - Returns: The columns that are not read.
    /// - Throws: ``SourceProblem`` when it cannot be the service's.
    mutating func begin(_ header: [String]) throws(SourceProblem) -> [String]

    /// Reads a row of a table.
    mutating func read(_ row: TableRow, _ builder: inout RecordBuilder, _ fates: inout [RowFate])

    /// Reads an object.
    ///
    /// - Parameters:
    ///   - members: What it has of ``members``.
    ///   - line: Where it begins.
    ///   - envelope: The array that it is in.
    ///   - builder: Fills records.
    ///   - fates: Receives what becomes of it.
    mutating func read(
        _ members: [String: JSONValue],
        line: Int,
        envelope: String?,
        _ builder: inout RecordBuilder,
        _ fates: inout [RowFate]
    )

    /// Whether rows are halves, which somebody joins.
    static var joins: Bool { get }

    /// Reads a row that has been joined.
    mutating func read(_ row: JoinedRow, _ builder: inout RecordBuilder, _ fates: inout [RowFate])

    /// What else must be known before anything is imported; called after the whole import was read once.
    func objection() -> SourceProblem?
}

extension SourceFormat {
    package static var envelopes: Set<String> { [] }
    package static var members: Set<String>? { nil }
    package static var hasHeader: Bool { true }
    package static var hasIndependentRows: Bool { false }
    package static var mayNameTags: Bool { false }
    package static var hasObjects: Bool { true }
    package static var joins: Bool { false }

    package mutating func begin(_ header: [String]) throws(SourceProblem) -> [String] {
        throw SourceProblem("is a table; \(Self.title)'s export has JSON")
    }

    package mutating func read(_ row: TableRow, _ builder: inout RecordBuilder, _ fates: inout [RowFate]) {
        fates.append(.refused(line: row.line, "is no JSON object"))
    }

    /// Formats without ``hasObjects`` are not asked.
    package mutating func read(
        _ members: [String: JSONValue],
        line: Int,
        envelope: String?,
        _ builder: inout RecordBuilder,
        _ fates: inout [RowFate]
    ) {
        fates.append(.refused(line: line, "is a JSON object"))
    }

    package mutating func read(_ row: JoinedRow, _ builder: inout RecordBuilder, _ fates: inout [RowFate]) {
        fates.append(.refused(line: row.line, "is half of a row"))
    }

    package func objection() -> SourceProblem? { nil }
}
