/// The fields of a form, read as PHP reads them.
///
/// `name[]` appends to a list, `name[key]` sets a member, also nested; the last one of a name wins. Dots and blanks in a
/// name become underscores. Values are bytes: what is UTF-8 is decided when one is read.
struct PHPForm: Hashable, Sendable {
    /// A value of a field.
    enum Value: Hashable, Sendable {
        case text([UInt8])
        indirect case array(PHPArray)
    }

    /// Why a form cannot be read.
    struct Failure: Error, Hashable {
        /// The field; `nil` for the whole body.
        var field: String?
        var problem: String
    }

    /// Maximum number of fields, PHP's own.
    static let maximumFields = 1_000
    /// Maximum number of brackets in a name.
    static let maximumDepth = 8

    private(set) var fields = PHPArray()
    private var count = 0

    /// Creates a form without fields.
    init() {}

    /// Reads `application/x-www-form-urlencoded`.
    ///
    /// Superfluous `&`, broken escapes and bytes that are not encoded are read as they are.
    ///
    /// - Throws: ``Failure`` when there are more than 1,000 fields, or a name has more than eight brackets.
    init(urlEncoded body: [UInt8]) throws(Failure) {
        var rest = body[...]
        // One by one: what comes after a field too many is not looked at.
        while !rest.isEmpty {
            let pair = rest.prefix { $0 != UInt8(ascii: "&") }
            rest = rest.dropFirst(pair.count + 1)
            guard !pair.isEmpty else { continue }
            let equals = pair.firstIndex(of: UInt8(ascii: "="))
            let value = equals.map { pair[pair.index(after: $0)...] } ?? pair[pair.endIndex...]
            try add(name: Self.decoded(pair[..<(equals ?? pair.endIndex)]), value: Self.decoded(value))
        }
    }

    /// Adds a field.
    mutating func add(name: [UInt8], value: [UInt8]) throws(Failure) {
        count += 1
        guard count <= Self.maximumFields else {
            throw Failure(field: nil, problem: "must have at most \(Self.maximumFields) fields")
        }
        guard let name = PHPFieldName(name) else { return }
        guard name.keys.count <= Self.maximumDepth else {
            throw Failure(field: name.first, problem: "must have at most \(Self.maximumDepth) pairs of brackets")
        }
        fields.insert(.named(name.first), name.keys[...], value)
    }

    // MARK: Values

    /// A value; `nil` when the field is missing.
    subscript(_ name: String) -> Value? { fields[name] }

    /// A text; `nil` when the field is missing or empty.
    ///
    /// - Throws: ``Failure`` when it is a list, or not UTF-8.
    func text(_ name: String) throws(Failure) -> String? {
        guard let value = fields[name] else { return nil }
        guard case .text(let bytes) = value else { throw Failure(field: name, problem: "must be one text, no list") }
        return bytes.isEmpty ? nil : try Self.text(bytes, name)
    }

    /// The text of some bytes.
    static func text(_ bytes: [UInt8], _ name: String) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(field: name, problem: "must be UTF-8")
        }
        return text
    }

    // MARK: - Private

    /// Decodes `+` and `%XX`; an escape that is none stays.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            index += 1
            if byte == UInt8(ascii: "%"), let high = text[index...].first?.hexadecimalDigit,
                let low = text[index...].dropFirst().first?.hexadecimalDigit
            {
                bytes.append(high << 4 | low)
                index += 2
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return bytes
    }
}

/// An array of PHP: values by name, in the order in which the names came first.
struct PHPArray: Hashable, Sendable {
    /// Where a value goes.
    enum Key: Hashable, Sendable {
        /// `[name]`
        case named(String)
        /// `[]`: after the highest number.
        case next
    }

    private(set) var names: [String] = []
    private var values: [String: PHPForm.Value] = [:]
    private var nextNumber: Int? = 0

    subscript(_ name: String) -> PHPForm.Value? { values[name] }

    /// Whether the names are 0, 1, 2 … in order.
    var isList: Bool { names.enumerated().allSatisfy { $1 == String($0) } }

    /// The values in order.
    var all: [PHPForm.Value] { names.compactMap { values[$0] } }

    /// Sets a value, at a key of an inner array when there are more keys.
    mutating func insert(_ key: Key, _ inner: ArraySlice<Key>, _ value: [UInt8]) {
        let name: String
        switch key {
        case .named(let text): name = text
        case .next:
            // After the highest number that there can be PHP drops what comes.
            guard let nextNumber else { return }
            name = String(nextNumber)
        }
        if let number = Int(name), number >= 0, String(number) == name, let next = nextNumber, number >= next {
            nextNumber = number == .max ? nil : number + 1
        }
        if values[name] == nil { names.append(name) }
        guard let first = inner.first else {
            values[name] = .text(value)
            return
        }
        var array = PHPArray()
        if case .array(let known)? = values[name] { array = known }
        // One owner, so that an array of a thousand values is not copied for each.
        values[name] = .text([])
        array.insert(first, inner.dropFirst(), value)
        values[name] = .array(array)
    }
}

/// A field's name, taken apart at its brackets.
private struct PHPFieldName {
    var first: String
    var keys: [PHPArray.Key] = []

    /// `nil` for a name that PHP drops: an empty one, or one that begins with a bracket.
    init?(_ bytes: [UInt8]) {
        // PHP's names end at a zero.
        var name = bytes.prefix { $0 != 0 }.drop { $0 == UInt8(ascii: " ") }
        let bracket = name.firstIndex(of: UInt8(ascii: "["))
        guard !name.isEmpty, bracket != name.startIndex else { return nil }
        guard let bracket, name[bracket...].contains(UInt8(ascii: "]")) else {
            first = Self.plain(name)
            return
        }
        first = Self.plain(name[..<bracket])
        name = name[bracket...]
        // What comes after the last bracket, or in one that is not closed, is ignored.
        while name.first == UInt8(ascii: "["), let end = name.firstIndex(of: UInt8(ascii: "]")) {
            let key = name[(name.startIndex + 1)..<end]
            let isEmpty = key.isEmpty || key.count == 1 && key.first == UInt8(ascii: " ")
            keys.append(isEmpty ? .next : .named(String(decoding: key, as: UTF8.self)))
            // More would be refused anyway.
            guard keys.count <= PHPForm.maximumDepth else { return }
            name = name[(end + 1)...]
        }
    }

    private static func plain(_ name: some Sequence<UInt8>) -> String {
        let reserved = Array(" .[".utf8)
        return String(decoding: name.map { reserved.contains($0) ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var hexadecimalDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }
}
