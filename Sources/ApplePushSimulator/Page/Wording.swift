/// Formats numbers, times and secrets for display.
enum Wording {
    /// A whole number with a thin space between groups of three digits.
    static func number(_ value: Int) -> String {
        let digits = Array(String(value.magnitude))
        var text = value < 0 ? "−" : ""
        for (position, digit) in digits.enumerated() {
            if position > 0, (digits.count - position).isMultiple(of: 3) {
                text.append("\u{202F}")
            }
            text.append(digit)
        }
        return text
    }

    /// The time of day in UTC, with milliseconds: `13:05:59.001`.
    static func time(_ time: SimulatedTime) -> String {
        let milliseconds = ofDay(time)
        return [
            padded(milliseconds / 3_600_000, 2) + ":" + padded(milliseconds / 60_000 % 60, 2) + ":"
                + padded(milliseconds / 1000 % 60, 2), padded(milliseconds % 1000, 3),
        ].joined(separator: ".")
    }

    /// Hours and minutes in UTC, as on a lock screen: `9:05`.
    static func clock(_ time: SimulatedTime) -> String {
        let milliseconds = ofDay(time)
        return "\(milliseconds / 3_600_000):" + padded(milliseconds / 60_000 % 60, 2)
    }

    /// A size: `812 B`, `4.1 kB`, `2.0 MB`.
    static func bytes(_ count: Int) -> String {
        var (value, unit) = (Double(count), 0)
        let units = ["B", "kB", "MB", "GB", "TB"]
        while value >= 1000, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        guard unit > 0 else { return "\(count) B" }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// The share of a part in percent: `12.5 %`.
    static func percent(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let (whole, rest) = (hundredths / 100, hundredths % 100)
        guard rest > 0 else { return "\(whole) %" }
        return rest.isMultiple(of: 10) ? "\(whole).\(rest / 10) %" : "\(whole).\(padded(rest, 2)) %"
    }

    /// A duration: `250 ms`, `1.5 s`, `20 s`.
    static func span(_ span: Duration) -> String {
        let milliseconds = Int64(span / .milliseconds(1))
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        let tenths = milliseconds / 100
        return tenths.isMultiple(of: 10) ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }

    /// The first and last characters of a device token: enough to distinguish two, not enough to send to one.
    static func deviceToken(_ token: some StringProtocol) -> String {
        token.count > 16 ? token.prefix(8) + "…" + token.suffix(4) : String(token)
    }

    /// Truncates long text.
    static func shortened(_ text: String, to limit: Int = 300) -> String {
        text.utf8.count > limit && text.count > limit ? text.prefix(limit) + "…" : text
    }

    private static func ofDay(_ time: SimulatedTime) -> Int64 {
        let remainder = time.milliseconds % 86_400_000
        return remainder < 0 ? remainder + 86_400_000 : remainder
    }

    private static func padded(_ value: some BinaryInteger, _ width: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
