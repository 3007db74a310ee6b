/// A number from 0 through 1, such as the volume of a critical sound or the rank in a summary.
///
/// What lies outside moves to the nearer end, so that none can be wrong; what is no number counts as 0.
public struct Fraction: Hashable, Sendable {
    /// The number, 0 through 1.
    public let value: Double

    /// Takes a number.
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
