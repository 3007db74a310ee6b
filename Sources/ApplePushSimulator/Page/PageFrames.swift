/// What a client of the page has received, to compute the next frame.
struct PageFrames: Sendable {
    private var shown: [PageView.Region: HTML] = [:]
    private var rates = RateHistory()

    /// The next frame: the changed regions, as an event with JSON; nil when none changed.
    mutating func next(_ snapshot: Snapshot, at uptime: Duration) -> String? {
        rates.record(snapshot.judged, at: uptime)
        let view = PageView(snapshot: snapshot, rates: rates.perSecond)
        var regions: [String] = []
        for region in PageView.Region.allCases {
            let html = view[region]
            guard shown[region] != html else { continue }
            shown[region] = html
            regions.append("\"\(region.rawValue)\":\(JSONText.quoted(html.text))")
        }
        guard !regions.isEmpty else { return nil }
        let data = "{\"say\":\(JSONText.quoted(view.sentence)),\"regions\":{\(regions.joined(separator: ","))}}"
        return EventText.event("frame", data: data)
    }
}

/// The number of requests in each of the last seconds.
struct RateHistory: Sendable {
    static let length = 60

    /// Completed seconds, oldest first.
    private(set) var perSecond: [Int] = []
    private var begin: (total: Int, uptime: Duration)?

    /// Records the total number of requests.
    ///
    /// A smaller total means a reset: counting begins again. After a pause the requests are distributed evenly.
    mutating func record(_ total: Int, at uptime: Duration) {
        guard let begin, total >= begin.total else {
            self.begin = (total, uptime)
            return
        }
        let seconds = Int((uptime - begin.uptime) / .seconds(1))
        guard seconds >= 1 else { return }
        perSecond += Array(repeating: (total - begin.total) / seconds, count: min(seconds, Self.length))
        perSecond.removeFirst(max(0, perSecond.count - Self.length))
        self.begin = (total, begin.uptime + .seconds(seconds))
    }
}
