/// A JSON value in a payload.
///
/// Object members keep their order, so that equal payloads have equal bytes.
public enum PayloadValue: Hashable, Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A whole number.
    case integer(Int64)
    /// Any finite number; an infinite one or NaN is written as `null`, because JSON has no value for it.
    case number(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([PayloadValue])
    /// An object, its members in the order they are written.
    case object([Member])
    /// A string of this many ASCII characters that differs between notifications; at most one in a payload.
    ///
    /// It is written as zeros, at ``EncodedPayload/slot``.
    case slot(length: Int)

    /// One member of an object.
    public struct Member: Hashable, Sendable {
        /// The key.
        public var key: String
        /// The value.
        public var value: PayloadValue

        /// Pairs a key with its value.
        ///
        /// - Parameters:
        ///   - key: The key.
        ///   - value: The value.
        public init(_ key: String, _ value: PayloadValue) {
            self.key = key
            self.value = value
        }
    }
}

extension PayloadValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension PayloadValue: ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }

    /// A list.
    public init(arrayLiteral elements: PayloadValue...) { self = .array(elements) }

    /// An object; of two members with the same key the later one counts.
    public init(dictionaryLiteral elements: (String, PayloadValue)...) {
        self = .object(PayloadObject(elements.map { Member($0, $1) }).members)
    }
}
