import CarillonModel
package import CarillonReaders

/// A plain file: a token a line, without a header.
package struct TokensFormat: SourceFormat {
    package static let name = "tokens"
    package static let title = "A plain file"
    package static let signatures: [Set<String>] = []
    package static let hasObjects = false
    package static let hasHeader = false

    private let options: SourceOptions

    /// - Parameter options: The environment and the consent, which such a file does not have.
    package init(_ options: SourceOptions) { self.options = options }

    package mutating func read(_ row: TableRow, _ builder: inout RecordBuilder, _ fates: inout [RowFate]) {
        guard row.count == 1 else {
            return fates.append(.refused(line: row.line, "has \(row.count) fields, not a token alone"))
        }
        let record = ImportRecord(line: row.line, consent: Consent(notifications: options.consent ?? false))
        fates.append(options.fate(of: record, token: row.bytes(0), in: "token", options.pushType))
    }

    package func objection() -> SourceProblem? {
        options.environmentProblem ?? options.consentProblem
    }
}
