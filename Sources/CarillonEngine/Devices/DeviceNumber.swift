/// The store's own number of a Device: positive, below 2⁵³, ascending with registration.
///
/// It leaves the server only inside a receipt. A Device gets a new one when its User changes, so that the next person
/// on a phone sees nothing of the former one's.
package struct DeviceNumber: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
