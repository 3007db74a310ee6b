import CarillonModel

/// A plain file: a token a line, without a header.
package struct TokensFormat: SourceFormat {
    package static let name = "tokens"
    package static let title = "A plain file"
    package static let signature: Set<String> = []
    package static let hasHeader = false

    private let options: SourceOptions

    /// - Parameter options: The environment and the consent, which such a file does not have.
    package init(_ options: SourceOptions) { self.options = options }

    package mutating func read(_ row: TableRow, _ builder: inout RecordBuilder, _ fates: inout [RowFate]) {
        guard row.count == 1 else {
            return fates.append(.refused(line: row.line, "has \(row.count) fields, not a token alone"))
        }
        let text = row.bytes(0)
        if text.contains(UInt8(ascii: ":")) { return fates.append(.leftOut(.firebaseToken, line: row.line)) }
        guard let token = RecordBuilder.token(text) else {
            return fates.append(.refused(line: row.line, "token " + RecordBuilder.tokenProblem))
        }
        var record = ImportRecord(line: row.line, consent: Consent(notifications: options.consent ?? false))
        record.registration.token = token
        record.registration.pushType = options.environment ?? .apns
        fates.append(.device(record))
    }

    package func objection() -> SourceProblem? {
        guard options.environment != nil else {
            return SourceProblem(
                "does not say which tokens are of Apple's sandbox; say --environment production or sandbox"
            )
        }
        return options.consent == nil
            ? SourceProblem("does not say who consents to notifications; say --consent yes or no") : nil
    }
}
