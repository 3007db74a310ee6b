import CarillonBytes
package import CarillonModel

/// Fills records within Carillon's limits: what does not fit is left out and noted, and the device stays.
package struct RecordBuilder {
    /// What the notes of a row are counted as; cleared by who counts them.
    package private(set) var notes: Set<ImportNote> = []

    private var zones = ZoneCheck()

    private static let language = limit("language")
    private static let country = limit("country")
    private static let appVersion = limit("app_version")
    private static let osVersion = limit("os_version")
    private static let model = limit("model")

    /// Whether records need only their token, standing and date.
    package let isSurvey: Bool

    /// - Parameter isSurvey: Whether records need only what tells which row of a token holds.
    package init(isSurvey: Bool = false) { self.isSurvey = isSurvey }

    /// Notes something of the current row.
    package mutating func note(_ note: ImportNote) { notes.insert(note) }

    /// Forgets the notes of the row before.
    package mutating func beginRow() { if !notes.isEmpty { notes.removeAll() } }

    /// Reads a token for Apple's service; brackets and blanks of an older description are removed.
    package static func token(_ text: ArraySlice<UInt8>) -> DeviceToken? {
        if let bytes = Hexadecimal.decode(text) { return DeviceToken(bytes: bytes) }
        let digits = text.filter { $0 != 0x20 && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
        return Hexadecimal.decode(digits).flatMap { DeviceToken(bytes: $0) }
    }

    package static func token(_ text: String) -> DeviceToken? { token(Array(text.utf8)[...]) }

    /// Why a text cannot be a token for Apple's service.
    package static let tokenProblem = "must be 16 through 200 hexadecimal digits, an even number of them"

    /// Sets the language and country of a locale, such as `zh_Hant_TW`.
    package mutating func setLocale(_ text: String?, of record: inout ImportRecord) {
        guard !isSurvey, let text, let locale = SourceLocale(text) else { return }
        setLanguage(locale.language, of: &record)
        if let country = locale.country { setCountry(country, of: &record) }
    }

    package mutating func setLanguage(_ text: String?, of record: inout ImportRecord) {
        set(text, to: &record.registration.language, Self.language)
    }

    package mutating func setCountry(_ text: String?, of record: inout ImportRecord) {
        let isUpper = text?.utf8.allSatisfy { $0 < 0x61 } ?? true
        set(isUpper ? text : text?.uppercased(), to: &record.registration.country, Self.country)
    }

    package mutating func setZone(_ text: String?, of record: inout ImportRecord) {
        guard !isSurvey, let text, !text.isEmpty else { return }
        guard zones.isKnown(text) else { return note(.zone) }
        record.registration.timeZone = text
    }

    package mutating func setAppVersion(_ text: String?, of record: inout ImportRecord) {
        set(text, to: &record.registration.appVersion, Self.appVersion)
    }

    /// Sets the system's version; a bare number is iOS's.
    package mutating func setOSVersion(_ text: String?, of record: inout ImportRecord) {
        guard let text, let first = text.utf8.first else { return }
        let isBare = (0x30...0x39).contains(first)
        set(isBare ? "iOS " + text : text, to: &record.registration.osVersion, Self.osVersion)
    }

    package mutating func setModel(_ text: String?, of record: inout ImportRecord) {
        set(text, to: &record.registration.model, Self.model)
    }

    /// Whether ``setUser(_:of:isTable:)`` takes the text of a table's field.
    package static func isUser(_ text: ArraySlice<UInt8>) -> Bool {
        let isPlain = text.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "+") }
        if text.count <= UserID.maximumLength, isPlain { return true }
        let text = String(decoding: text, as: UTF8.self)
        return !isSpreadsheetNumber(text) && UserID(rawValue: text) != nil
    }

    /// Sets the User.
    ///
    /// - Returns: Why the text is no User's id.
    package mutating func setUser(_ text: String?, of record: inout ImportRecord, isTable: Bool) -> String? {
        guard let text, !text.isEmpty else { return nil }
        if isTable, Self.isSpreadsheetNumber(text) {
            return "has a user that a spreadsheet has made a number, such as 1.2E+15; export the file anew"
        }
        guard let user = UserID(rawValue: text) else {
            return "user must have 1 through \(UserID.maximumLength) characters and no control characters"
        }
        record.registration.user = user
        return nil
    }

    /// Adds attributes of the User, in the order of their names.
    package mutating func add(_ attributes: [String: JSONValue], to record: inout ImportRecord) {
        guard !isSurvey else { return }
        let fits = attributes.allSatisfy { $1 != .null && UserAttributes.problem($0, $1) == nil }
        guard fits, attributes.count <= UserAttributes.maximumCount, record.attributes.isEmpty,
            record.registration.user != nil
        else {
            for (name, value) in attributes.sorted(by: { $0.key < $1.key }) { add(name, value, to: &record) }
            return
        }
        record.attributes = attributes
    }

    /// Adds an attribute of the User.
    package mutating func add(_ name: String, _ value: JSONValue, to record: inout ImportRecord) {
        guard !isSurvey, value != .null else { return }
        guard record.registration.user != nil else { return note(.attributeWithoutUser) }
        if let problem = UserAttributes.problem(name, value) {
            return note(problem.field.isEmpty ? .attributeName : .attributeValue)
        }
        guard record.attributes[name] != nil || record.attributes.count < UserAttributes.maximumCount else {
            return note(.attributeExcess)
        }
        record.attributes[name] = value
    }

    /// Adds an attribute that has a list of values: one is a value, several are one text with commas between them.
    package mutating func add(_ name: String, list: [JSONValue], to record: inout ImportRecord) {
        guard !isSurvey else { return }
        guard list.count != 1 else { return add(name, list[0], to: &record) }
        guard !list.isEmpty else { return }
        note(.severalValues)
        add(name, .string(list.map(\.plainText).joined(separator: ",")), to: &record)
    }

    /// Adds labels: the User's tags, or categories of a device without a User.
    package mutating func add(labels: [String], to record: inout ImportRecord) {
        guard !isSurvey, !labels.isEmpty else { return }
        guard record.registration.user != nil else { return addCategories(labels, to: &record) }
        for label in labels where !record.tags.contains(label) {
            guard Self.isTagName(label) else {
                note(.tagName)
                continue
            }
            guard record.tags.count < TagSet.maximumCount else { return note(.tagExcess) }
            record.tags.append(label)
        }
    }

    package mutating func addCategories(_ labels: [String], to record: inout ImportRecord) {
        var ids: [String] = []
        if case .list(let present) = record.registration.categories { ids = present }
        for label in labels where !ids.contains(label) {
            let problem = TextLimit(DeviceCategories.lengths).problem(of: label, allowsLineBreaks: false)
            guard problem == nil, ids.count < DeviceCategories.maximumCount else {
                note(.categoryExcess)
                continue
            }
            ids.append(label)
        }
        if !ids.isEmpty { record.registration.categories = .list(ids) }
    }

    // MARK: - Private

    /// The limit of what a Device reports; 64 characters of what it no longer reports.
    private static func limit(_ column: String) -> TextLimit {
        DeviceField.all.first { $0.column == column }?.limit ?? TextLimit(1...64)
    }

    private mutating func set(_ text: String?, to field: inout String?, _ limit: TextLimit) {
        guard !isSurvey, let text, !text.isEmpty else { return }
        guard limit.problem(of: text, allowsLineBreaks: false) == nil else { return note(.text) }
        field = text
    }

    /// A whole number that a spreadsheet has rounded: `1.23E+15`.
    private static func isSpreadsheetNumber(_ text: String) -> Bool {
        // Most ids have no plus.
        guard text.utf8.contains(UInt8(ascii: "+")) else { return false }
        let parts = text.split(separator: "E+", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty, parts[1].allSatisfy(\.isASCIIDigit) else { return false }
        let digits = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        return digits.count <= 2 && digits.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }
    }

    private static func isTagName(_ name: String) -> Bool {
        (1...255).contains(name.count) && name.utf8.count <= 1_020
            && !name.unicodeScalars.contains {
                $0.properties.isWhitespace || $0.properties.generalCategory == .control
            }
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
