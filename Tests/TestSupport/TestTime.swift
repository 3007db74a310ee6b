import Foundation

/// Limits of real time in tests.
package enum TestTime {
    /// How much longer everything takes here than on a free machine: `CARILLON_TEST_TIME_FACTOR`, 1 when missing.
    ///
    /// `script/test` sets it for the thread sanitizer. A limit after which the code under test gives up a peer that is
    /// only slow is multiplied by it.
    package static let factor = max(
        1,
        ProcessInfo.processInfo.environment["CARILLON_TEST_TIME_FACTOR"].flatMap(Int64.init) ?? 1
    )
}

/// The cases of long tests.
package enum TestCases {
    /// All of them, and each fifth where everything takes several times longer.
    ///
    /// For tests whose cases differ in what they do and not in what runs beside what, which is what the thread sanitizer is for.
    package static func few<Case>(of all: some Sequence<Case>) -> [Case] {
        all.enumerated().filter { TestTime.factor == 1 || $0.offset.isMultiple(of: 5) }.map(\.element)
    }
}
