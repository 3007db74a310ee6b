/// A line of blocks whose heights are counts.
struct Sparkline {
    private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

    /// Counts in order of time.
    var counts: [Int]

    /// A block a count: the highest is full, and only 0 is a blank.
    var text: String {
        let most = counts.max() ?? 0
        return String(
            counts.map { count -> Character in
                guard count > 0, most > 0 else { return " " }
                return Self.blocks[min(7, Int(Double(count) / Double(most) * 8 - 0.000_1))]
            }
        )
    }

    /// Sums counts at shares of a range, 0 up to 1, into at most `width` columns.
    static func columns(_ points: [(share: Double, count: Int)], width: Int) -> [Int] {
        var columns = [Int](repeating: 0, count: max(1, width))
        for point in points {
            columns[min(columns.count - 1, max(0, Int(point.share * Double(columns.count))))] += point.count
        }
        return columns
    }
}
