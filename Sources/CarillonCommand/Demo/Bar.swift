/// A bar of text: a share of a width, with a resolution of an eighth of a character.
struct Bar {
    /// The filled share, clamped to 0 through 1.
    var share: Double
    /// The width of a full bar in characters.
    var width: Int

    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    /// The filled part only.
    var filled: String {
        let units = Int((min(max(share, 0), 1) * Double(width * 8)).rounded())
        return String(repeating: "█", count: units / 8) + Self.eighths[units % 8]
    }

    /// The filled part, padded with dots.
    var padded: String {
        let bar = filled
        return bar + String(repeating: "·", count: width - bar.count)
    }
}
