import CarillonModel

/// What a notification does to the number on the app's icon.
///
/// In JSON a number from 0 through 99,999, or a text such as `"+1"`: a plus sign and 1 through 99.
public enum Badge: Hashable, Sendable {
    /// The number itself, 0 through 99,999; 0 removes it.
    case count(Int)
    /// The Device's number grows by 1 through 99.
    ///
    /// The server counts for each Device from the number that the app set last.
    case increment(by: Int)

    /// The range of ``count(_:)``; where an increment goes beyond it, the number stays at its upper end.
    public static let counts = Registration.badges
    /// The range of ``increment(by:)``.
    public static let steps = 1...99

    /// Whether it is within its range.
    var isInRange: Bool {
        switch self {
        case .count(let count): Self.counts.contains(count)
        case .increment(let step): Self.steps.contains(step)
        }
    }
}

extension Badge: ExpressibleByIntegerLiteral {
    /// Makes a number that is set.
    ///
    /// - Parameter count: The number, 0 through 99,999.
    public init(integerLiteral count: Int) { self = .count(count) }
}

extension Badge: Codable {
    /// Decodes a number or a text.
    ///
    /// - Throws: ``FieldError`` naming the field.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        let badge = (try? value.decode(Int.self)).map(Self.count) ?? (try? value.decode(String.self)).flatMap(Self.init)
        guard let badge, badge.isInRange else {
            throw FieldError(
                field: FieldError.path(decoder.codingPath),
                problem: "must be an integer from 0 through 99999, or a text from +1 through +99"
            )
        }
        self = badge
    }

    private init?(_ text: String) {
        guard text.first == "+", text.utf8.count <= 3, text.dropFirst().first != "0",
            text.dropFirst().allSatisfy({ $0.isASCII && $0.isNumber }), let step = Int(text.dropFirst())
        else { return nil }
        self = .increment(by: step)
    }

    /// Encodes a number or a text.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .count(let count): try value.encode(count)
        case .increment(let step): try value.encode("+\(step)")
        }
    }
}
