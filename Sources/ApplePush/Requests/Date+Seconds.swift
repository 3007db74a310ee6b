#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Date {
    /// Whole seconds since 1970, as Apple writes times in tokens, headers and payloads.
    ///
    /// Dates before 1970 and after the year 9999 move to these ends.
    var secondsSince1970: Int64 {
        let seconds = timeIntervalSince1970
        return seconds.isNaN ? 0 : Int64(min(253_402_300_799, max(0, seconds.rounded(.down))))
    }

    func advanced(by duration: Duration) -> Date { addingTimeInterval(duration / .seconds(1)) }
}
