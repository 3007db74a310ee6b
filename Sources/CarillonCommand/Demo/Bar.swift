/// A bar of text: a share of a width, drawn to an eighth of a character.
struct Bar {
    /// The share that is filled; outside 0 through 1 it is cut off.
    var share: Double
    /// How many characters wide a full bar is.
    var width: Int

    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// The filled part only.
    var filled: String {
        let units = Int((min(max(share, 0), 1) * Double(width * 8)).rounded())
        return String(repeating: "█", count: units / 8) + Self.eighths[units % 8]
    }

    /// The filled part and dots up to the width.
    var padded: String {
        let bar = filled
        return bar + String(repeating: "·", count: width - bar.count)
    }
}
