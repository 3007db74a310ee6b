import Foundation

/// The value of the header `date`.
package enum HTTPDate {
    /// Parses the format of RFC 9110 §5.6.7, `Sun, 06 Nov 1994 08:49:37 GMT`; `nil` for any other.
    package static func seconds(_ text: String) -> Int64? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        guard text.utf8.count == 29, let date = formatter.date(from: text) else { return nil }
        return Int64(date.timeIntervalSince1970)
    }
}
