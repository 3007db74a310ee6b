/// The geometry of a bar chart that is drawn as inline SVG.
///
/// A pure value without words. Bars stand on zero; a value of zero has no bar. Adjacent values are added when there are
/// more than ``maximumBars``, so that the bars stay wide enough to see and the page stays small.
struct BarChart: Hashable, Sendable {
    /// One bar, in the units of the view box.
    struct Bar: Hashable, Sendable {
        /// The range of the values that it adds.
        var range: Range<Int>
        var value: Int
        var x: Double
        var y: Double
        var width: Double
        var height: Double
    }

    /// A horizontal line of the grid.
    struct Line: Hashable, Sendable {
        var value: Int
        var y: Double
    }

    /// Maximum number of bars.
    static let maximumBars = 120
    /// Maximum number of lines of the grid, without the base line.
    static let maximumLines = 4
    /// The least height of a bar whose value is not zero.
    static let leastHeight = 1.0

    let width: Double
    let height: Double
    /// Where the bars stand.
    let baseline: Double
    /// One for each run of values, also for runs without a bar.
    let bars: [Bar]
    /// From the bottom to the top, without the base line.
    let lines: [Line]
    /// How many values one bar adds.
    let valuesPerBar: Int

    /// Computes the geometry.
    ///
    /// - Parameters:
    ///   - values: The values in order; negative ones count as zero.
    ///   - width: The width of the view box.
    ///   - height: The height of the view box.
    ///   - maximum: The value of the full height; `nil` for the largest bar. Charts on one axis share it.
    init(_ values: [Int], width: Double = 960, height: Double = 120, maximum: Int? = nil) {
        self.width = width
        self.height = height
        baseline = height
        let step = max(1, (values.count + Self.maximumBars - 1) / Self.maximumBars)
        valuesPerBar = step
        let runs = stride(from: 0, to: values.count, by: step).map { $0..<min($0 + step, values.count) }
        let sums = runs.map { run in values[run].reduce(0) { $0 + max(0, $1) } }
        let top = Self.top(of: max(maximum ?? 0, sums.max() ?? 0))
        let slot = runs.isEmpty ? width : width / Double(runs.count)
        // A gap of a pixel between bars, unless it would leave nothing of them.
        let gap = min(1, slot / 4)
        bars = zip(runs, sums).enumerated().map { index, bar in
            let (run, sum) = bar
            let share = Double(sum) / Double(max(1, top))
            let tall = sum == 0 ? 0 : max(Self.leastHeight, share * height)
            return Bar(
                range: run,
                value: sum,
                x: Double(index) * slot,
                y: height - tall,
                width: slot - gap,
                height: tall
            )
        }
        let unit = Self.unit(of: top)
        lines = stride(from: unit, through: top, by: unit).prefix(Self.maximumLines).map { value in
            Line(value: value, y: height - Double(value) / Double(max(1, top)) * height)
        }
    }

    /// The largest bar; `nil` when all are zero.
    var largest: Bar? { bars.filter { $0.value > 0 }.max { $0.value < $1.value } }

    // MARK: - Private

    /// The least multiple of the grid's unit that is not below a value; 1 for zero.
    private static func top(of value: Int) -> Int {
        guard value > 0 else { return 1 }
        let unit = unit(of: value)
        return (value + unit - 1) / unit * unit
    }

    /// The distance of the lines: 1, 2 or 5 times a power of ten, so that there are at most ``maximumLines``.
    private static func unit(of value: Int) -> Int {
        var power = 1
        while true {
            for digit in [1, 2, 5] where (value + digit * power - 1) / (digit * power) <= maximumLines {
                return digit * power
            }
            guard power <= Int.max / 100 else { return power }
            power *= 10
        }
    }
}

extension BarChart {
    /// A coordinate as text of an attribute: at most two decimals, without an exponent.
    static func text(_ coordinate: Double) -> String {
        let hundredths = Int((coordinate * 100).rounded())
        let (whole, rest) = (hundredths / 100, abs(hundredths % 100))
        guard rest != 0 else { return String(whole) }
        let sign = hundredths < 0 && whole == 0 ? "-" : ""
        let decimals = rest % 10 == 0 ? String(rest / 10) : (rest < 10 ? "0" : "") + String(rest)
        return sign + String(whole) + "." + decimals
    }
}
