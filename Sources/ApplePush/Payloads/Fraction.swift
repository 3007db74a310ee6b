/// A number from 0 through 1, such as the volume of a critical sound or the rank in a summary.
///
/// A number outside of the range becomes the nearer bound, and NaN becomes 0, so that every value is valid.
public struct Fraction: Hashable, Sendable {
    /// The number, 0 through 1.
    public let value: Double

    /// Makes a fraction of a number.
    ///
    /// - Parameter value: The number; 0 through 1 stay as they are.
    public init(_ value: Double) {
        self.value = value.isNaN ? 0 : min(1, max(0, value))
    }
}

extension Fraction: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    /// The same as ``init(_:)``.
    public init(floatLiteral value: Double) { self.init(value) }

    /// The same as ``init(_:)``.
    public init(integerLiteral value: Int) { self.init(Double(value)) }
}
