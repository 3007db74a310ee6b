public import CarillonModel

/// How long the spans of a series are.
public enum StatisticsUnit: String, Hashable, Sendable, Codable, CaseIterable {
    /// For ranges of at most a day.
    case minute
    /// For ranges of at most a week.
    case tenMinutes = "10minutes"
    /// For ranges of at most 31 days.
    case hour
    /// For ranges of at most 366 days; days begin at midnight of a time zone.
    case day
}

/// What happened, span by span: the answer to `GET /v1/statistics` and `GET /v1/campaigns/{campaign}/statistics`.
public struct StatisticsSeries: Hashable, Sendable, Codable {
    /// One span.
    public struct Point: Hashable, Sendable, Codable {
        /// When it begins.
        public var at: Timestamp
        /// What happened in it.
        public var figures: Figures

        /// Makes a point.
        ///
        /// - Parameters:
        ///   - at: When the span begins.
        ///   - figures: What happened in it.
        public init(at: Timestamp, figures: Figures) {
            self.at = at
            self.figures = figures
        }
    }

    /// Where the first span begins.
    public var from: Timestamp
    /// Where the last span ends.
    public var to: Timestamp
    /// How long the spans are.
    public var unit: StatisticsUnit
    /// Whose midnight days begin at, an IANA name.
    public var timeZone: String
    /// Spans in which something happened, in order; in all others nothing did.
    public var points: [Point]
    /// The sum of the points.
    public var total: Figures
    /// For a Campaign, since it began: how often each action was taken, by its key.
    ///
    /// A hundred keys are told apart; what comes under further ones is counted under the empty one.
    public var actionKeys: [String: Int]?

    /// Makes a series.
    ///
    /// - Parameters:
    ///   - from: Where the first span begins.
    ///   - to: Where the last span ends.
    ///   - unit: How long the spans are.
    ///   - timeZone: Whose midnight days begin at.
    ///   - points: Spans in which something happened, in order.
    public init(from: Timestamp, to: Timestamp, unit: StatisticsUnit, timeZone: String, points: [Point]) {
        self.from = from
        self.to = to
        self.unit = unit
        self.timeZone = timeZone
        self.points = points
        total = Figures()
        for point in points { total += point.figures }
    }
}
