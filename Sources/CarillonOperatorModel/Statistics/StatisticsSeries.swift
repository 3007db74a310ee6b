public import CarillonModel

/// The length of a series' spans.
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

/// Counts by span of time: the answer to `GET /v1/statistics` and `GET /v1/campaigns/{campaign}/statistics`.
public struct StatisticsSeries: Hashable, Sendable, Codable {
    /// One span.
    public struct Point: Hashable, Sendable, Codable {
        /// When it begins.
        public var at: Timestamp
        /// Its counts.
        public var figures: Figures

        /// Creates a point.
        ///
        /// - Parameters:
        ///   - at: When the span begins.
        ///   - figures: Its counts.
        public init(at: Timestamp, figures: Figures) {
            self.at = at
            self.figures = figures
        }
    }

    /// The begin of the first span.
    public var from: Timestamp
    /// The end of the last span.
    public var until: Timestamp
    /// The length of the spans.
    public var unit: StatisticsUnit
    /// The time zone of the days, an IANA name.
    public var timeZone: String
    /// Spans with counts, in order; all others are zero.
    public var points: [Point]
    /// The sum of the points.
    public var total: Figures
    /// For a Campaign, since it began: how often each action was used, by its key.
    ///
    /// At most a hundred keys are listed; further ones are counted under the empty key.
    public var actionKeys: [String: Int]?

    /// Creates a series.
    ///
    /// - Parameters:
    ///   - from: The begin of the first span.
    ///   - until: The end of the last span.
    ///   - unit: The length of the spans.
    ///   - timeZone: The time zone of the days.
    ///   - points: Spans with counts, in order.
    public init(from: Timestamp, until: Timestamp, unit: StatisticsUnit, timeZone: String, points: [Point]) {
        self.from = from
        self.until = until
        self.unit = unit
        self.timeZone = timeZone
        self.points = points
        total = Figures()
        for point in points { total += point.figures }
    }
}
