/// The store's own number of a Device: positive, below 2⁵³, growing with registration.
///
/// It never leaves the server but inside a receipt. A Device gets a new one when its User changes, so that the next
/// person on a phone sees nothing of the last one's.
package struct DeviceNumber: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
