package import CarillonModel

/// What the person who imports knows, and files do not say.
package struct SourceOptions: Sendable {
    /// The environment of tokens, where the file does not have it.
    package var environment: PushType?
    /// Whether people consent to notifications, where the service does not record it.
    package var consent: Bool?
    /// The app whose devices are imported, of a file with those of several.
    package var appName: String?
    /// Devices that were not seen since then are left out; those without a date stay.
    package var activeSince: Timestamp?
    /// Whether rows without a token give their User's tags and attributes.
    package var keepsUsersWithoutToken = false
    /// The column or member that holds a field, by the field, such as `user`.
    package var columns: [String: String] = [:]
    /// Members whose values become categories of devices without a User.
    package var categoryNames: Set<String> = []
    /// What a time without a zone is in.
    package var zone: String?

    package init() {}
}

extension SourceOptions {
    /// The environment of tokens in files that do not have it; ``environmentProblem`` stops an import without one.
    var pushType: PushType { environment ?? .apns }

    /// The problem of files without the environment of their tokens; `nil` when an option says it.
    var environmentProblem: SourceProblem? {
        environment == nil
            ? SourceProblem("does not say which tokens are of Apple's sandbox; say --environment production or sandbox")
            : nil
    }

    /// The problem of files without people's consent; `nil` when an option says it.
    var consentProblem: SourceProblem? {
        consent == nil
            ? SourceProblem("does not say who consents to notifications; say --consent yes or no") : nil
    }

    /// What becomes of an Apple device's row whose record has everything but the token.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - token: The token as it is written; empty when there is none.
    ///   - field: The token's column or member, for the reason of a refusal.
    ///   - pushType: The token's environment.
    /// - Returns: The device with its token, or why the row has none.
    func fate(
        of record: ImportRecord,
        token: ArraySlice<UInt8>,
        in field: String,
        _ pushType: PushType
    ) -> RowFate {
        guard !token.isEmpty else {
            let isKept = keepsUsersWithoutToken && record.registration.user != nil
            return isKept ? .user(record) : .leftOut(.withoutToken, line: record.line)
        }
        if token.contains(UInt8(ascii: ":")) { return .leftOut(.firebaseToken, line: record.line) }
        guard let bytes = RecordBuilder.token(token) else {
            return .refused(line: record.line, field + " " + RecordBuilder.tokenProblem)
        }
        var record = record
        (record.registration.token, record.registration.pushType) = (bytes, pushType)
        return .device(record)
    }

    /// The token of an Apple device's row as it is written; `nil` for a row of which no device is made.
    func token(_ text: ArraySlice<UInt8>) -> DeviceToken? {
        text.isEmpty || text.contains(UInt8(ascii: ":")) ? nil : RecordBuilder.token(text)
    }

    func fate(of record: ImportRecord, token: String, in field: String, _ pushType: PushType) -> RowFate {
        fate(of: record, token: Array(token.utf8)[...], in: field, pushType)
    }
}

/// Why a file cannot be imported at all.
package struct SourceProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
