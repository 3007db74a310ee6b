import CarillonModel
import CarillonOperatorModel

/// An object of a body, read by the vendor's rules: unknown fields are ignored, errors have the vendor's codes.
struct ToastFields {
    let object: [String: JSONValue]
    /// The names around it, each followed by a dot.
    let path: String
    let version: ToastVersion

    init(_ object: [String: JSONValue], path: String, version: ToastVersion) {
        self.object = object
        self.path = path
        self.version = version
    }

    /// A value; `nil` when it is missing or null.
    subscript(_ name: String) -> JSONValue? { object[name].flatMap { $0 == .null ? nil : $0 } }

    func failure(
        _ kind: ToastFailure.Kind,
        _ name: String,
        _ value: JSONValue? = nil,
        problem: String? = nil
    ) -> ToastFailure {
        ToastFailure(kind, path + name, (value ?? self[name])?.shortText, problem: problem)
    }

    // MARK: Texts

    /// A text; `nil` when it is missing, null or empty.
    func text(_ name: String) throws -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw failure(.malformed, name) }
        return text.isEmpty ? nil : text
    }

    /// A text that must be there, of at most `limit` characters.
    func required(_ name: String, _ limit: Int) throws -> String {
        guard let text = try text(name) else { throw failure(.empty, name) }
        // Nearly all are plain, where characters are bytes.
        if text.isPlain, text.utf8.count <= limit { return text }
        guard text.count <= limit, text.utf8.count <= 4 * limit, !text.hasControls else {
            throw failure(.invalid, name, problem: "it has 1 through \(limit) characters, none of them a control")
        }
        return text
    }

    func flag(_ name: String) throws -> Bool {
        guard let value = self[name] else { throw failure(.empty, name) }
        guard let flag = value.bool else { throw failure(.malformed, name) }
        return flag
    }

    func integer(_ name: String, _ range: ClosedRange<Int64>) throws -> Int? {
        guard let value = self[name] else { return nil }
        guard let number = value.integer else { throw failure(.malformed, name) }
        guard range.contains(number) else {
            throw failure(.invalid, name, problem: "it is \(range.lowerBound) through \(range.upperBound)")
        }
        return Int(number)
    }

    /// A word of a list; `nil` when it is missing.
    func word<Word: RawRepresentable<String> & CaseIterable>(
        _ name: String,
        _: Word.Type = Word.self
    ) throws -> Word? {
        guard let text = try text(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw failure(.invalid, name, problem: "it is one of \(known)")
        }
        return word
    }

    // MARK: Lists and objects

    /// Texts; `nil` when the list is missing.
    func texts(_ name: String) throws -> [String]? {
        guard let value = self[name] else { return nil }
        guard let list = value.array else { throw failure(.malformed, name) }
        return try list.map { element in
            guard let text = element.string else { throw failure(.malformed, name, element) }
            return text
        }
    }

    func inner(_ name: String) throws -> ToastFields? {
        guard let value = self[name] else { return nil }
        guard let object = value.object else { throw failure(.malformed, name) }
        return ToastFields(object, path: path + name + ".", version: version)
    }

    func requiredInner(_ name: String) throws -> ToastFields {
        guard let inner = try inner(name) else { throw failure(.empty, name) }
        return inner
    }

    // MARK: The vendor's ids

    /// A User's id: 1 through 64 characters without emoji.
    static func user(_ text: String, _ field: String) throws -> UserID {
        guard !text.isEmpty else { throw ToastFailure(.empty, field) }
        if text.isPlain, text.utf8.count <= 64, let user = UserID(rawValue: text) { return user }
        guard text.count <= 64, !text.hasEmoji, let user = UserID(rawValue: text) else {
            throw ToastFailure(.invalid, field, text, problem: "it has 1 through 64 characters and no emoji")
        }
        return user
    }

    /// Users of a list, each once.
    static func users(_ texts: [String], _ field: String, atMost limit: Int) throws -> [UserID] {
        guard !texts.isEmpty else { throw ToastFailure(.empty, field) }
        guard texts.count <= limit else { throw ToastFailure(.maximumExceeded, field, "\(texts.count)") }
        var met: Set<UserID> = []
        return try texts.map { try user($0, field) }.filter { met.insert($0).inserted }
    }

    /// Ids of tags.
    static func tags(_ texts: [String], _ field: String) throws -> Set<TagID> {
        guard texts.count <= TagSet.maximumCount else { throw ToastFailure(.maximumExceeded, field, "\(texts.count)") }
        return Set(
            try texts.map { text in
                guard let tag = TagID(rawValue: text) else { throw ToastFailure(.notFound, field, text) }
                return tag
            }
        )
    }
}

extension JSONValue {
    /// A short form for the message of a failure.
    fileprivate var shortText: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): String(value.prefix(100))
        case .array(let values): "array of \(values.count)"
        case .object: "object"
        }
    }
}

extension String {
    /// Whether it has only printable ASCII: none of it is an emoji or a control, and each byte is a character.
    fileprivate var isPlain: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    /// Whether it has a character that is shown as emoji.
    fileprivate var hasEmoji: Bool {
        unicodeScalars.contains { scalar in
            scalar.properties.isEmojiPresentation || scalar.value == 0xFE0F
                || scalar.properties.isEmoji && scalar.value > 0x238C
        }
    }

    fileprivate var hasControls: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
