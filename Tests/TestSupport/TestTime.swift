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
