import CarillonBytes

/// The fields of a form or a query, in order; a name may come several times.
struct FormFields: Hashable, Sendable {
    /// Why fields cannot be read.
    enum Failure: Error, Hashable {
        /// A name or a value is not UTF-8.
        case notText
        /// There are more than ``maximum`` fields.
        case tooMany
    }

    /// Maximum number of fields.
    static let maximum = 1_000

    let all: [(name: String, value: String)]
    /// The places of each name: pages ask for hundreds of names.
    private let places: [String: [Int]]

    init(_ all: [(name: String, value: String)] = []) {
        self.all = all
        places = Dictionary(grouping: all.indices) { all[$0].name }
    }

    /// Reads `application/x-www-form-urlencoded`.
    init(urlEncoded text: some Collection<UInt8>) throws(Failure) {
        var all: [(name: String, value: String)] = []
        for pair in text.split(separator: UInt8(ascii: "&")) {
            guard all.count < Self.maximum else { throw .tooMany }
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            let value = equals == pair.endIndex ? pair[equals...] : pair[pair.index(after: equals)...]
            all.append((try Self.decoded(pair[..<equals]), try Self.decoded(value)))
        }
        self.init(all)
    }

    var isEmpty: Bool { all.isEmpty }

    /// The first value of a name, with line feeds alone at the ends of lines; `nil` without the field.
    subscript(_ name: String) -> String? {
        places[name]?.first.map { all[$0].value.replacing("\r\n", with: "\n") }
    }

    /// All values of a name.
    func values(_ name: String) -> [String] { (places[name] ?? []).map { all[$0].value } }

    /// The first value of a name; empty without the field.
    func text(_ name: String) -> String { self[name] ?? "" }

    /// A number of Devices; `nil` for what is none, or more than there can be.
    func devices(_ name: String) -> Int? {
        Int(text(name)).flatMap { (0...10_000_000_000).contains($0) ? $0 : nil }
    }

    /// The fields with others in place of those of some names; `nil` takes a field away.
    func setting(_ changes: KeyValuePairs<String, String?>) -> FormFields {
        var fields = all.filter { field in !changes.contains { $0.key == field.name } }
        for (name, value) in changes {
            if let value { fields.append((name, value)) }
        }
        return FormFields(fields)
    }

    /// As `application/x-www-form-urlencoded`.
    var encoded: String {
        all.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value))" }.joined(separator: "&")
    }

    static func == (one: FormFields, other: FormFields) -> Bool {
        one.all.elementsEqual(other.all) { $0 == $1 }
    }

    func hash(into hasher: inout Hasher) { hasher.combine(encoded) }

    /// A text for a path or a query, with everything escaped but letters, digits and `-._~`.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.append(Character(UnicodeScalar(byte)))
            default: escaped += "%" + Hexadecimal.encode([byte]).uppercased()
            }
        }
        return escaped
    }

    private static func decoded(_ text: some Collection<UInt8>) throws(Failure) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let value = Hexadecimal.decode(rest.prefix(2))?.first {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        return text
    }
}
