import Foundation
import NIOConcurrencyHelpers

/// The value of the `Date` field (RFC 9110 §6.6.1), computed once a second.
final class DateField: Sendable {
    private struct State {
        var second: Int = 0
        var text = ""
    }

    private let state = NIOLockedValueBox(State())

    /// The field's value now.
    var now: String {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let second = Int(time.tv_sec)
        return state.withLockedValue { state in
            if state.second != second { state = State(second: second, text: Self.text(second)) }
            return state.text
        }
    }

    /// `Sat, 21 Nov 2026 08:44:00 GMT`.
    static func text(_ second: Int) -> String {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let date = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second],
            from: Date(timeIntervalSince1970: Double(second))
        )
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        return days[second / 86_400 % 7] + ", " + two(date.day) + " " + months[(date.month ?? 1) - 1]
            + " \(date.year ?? 1970) " + two(date.hour) + ":" + two(date.minute) + ":" + two(date.second) + " GMT"
    }
}
