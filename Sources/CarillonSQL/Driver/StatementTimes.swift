import Foundation
import NIOConcurrencyHelpers

/// The statements that took longest, by their text, which has places for values and never a value.
///
/// What takes less than ``threshold`` costs two looks at a coarse clock. It holds a bounded number of texts.
package final class StatementTimes: Sendable {
    /// The times of one statement.
    package struct Entry: Hashable, Sendable {
        package let text: String
        /// How often it took long.
        package fileprivate(set) var runs = 0
        package fileprivate(set) var longest = Duration.zero
        package fileprivate(set) var total = Duration.zero
    }

    /// What takes less is not noted.
    package static let threshold = Duration.milliseconds(10)
    private static let thresholdNanoseconds: Int64 = 10_000_000
    /// How many texts are held, and how long a text is at most.
    private static let (capacity, longestText) = (200, 1_000)

    private let entries = NIOLockedValueBox<[String: Entry]>([:])

    package init() {}

    /// The slowest statements, the slowest first.
    package func slowest(_ count: Int) -> [Entry] {
        let all = entries.withLockedValue { Array($0.values) }
        return Array(all.sorted { ($1.longest, $0.text) < ($0.longest, $1.text) }.prefix(count))
    }

    /// Records how long a run took, if that is long.
    package func note(nanoseconds: Int64, _ text: () -> String) {
        guard nanoseconds >= Self.thresholdNanoseconds else { return }
        let text = Self.normalized(text())
        let time = Duration.nanoseconds(nanoseconds)
        entries.withLockedValue { entries in
            if entries.count >= Self.capacity, entries[text] == nil,
                let least = entries.values.min(by: { $0.longest < $1.longest })
            {
                guard least.longest < time else { return }
                entries[least.text] = nil
            }
            var entry = entries[text] ?? Entry(text: text)
            entry.runs += 1
            entry.longest = max(entry.longest, time)
            entry.total += time
            entries[text] = entry
        }
    }

    /// A monotonic time in nanoseconds, a few milliseconds coarse where that is cheaper.
    @inline(__always)
    static var now: Int64 {
        var time = timespec()
        #if os(Linux)
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        #else
        clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// One line with single spaces, cut.
    private static func normalized(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return line.count > longestText ? line.prefix(longestText) + "…" : line
    }
}
