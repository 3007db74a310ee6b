/// Recent notifications of device tokens; empty while no listener limits them.
struct DeviceTokenRates: Sendable {
    private struct Span {
        var start: SimulatedTime
        var count: Int
    }

    private var spans: [DeviceTable.Index: Span] = [:]

    /// Counts a notification.
    ///
    /// - Returns: Whether it is within the rate. One above the rate is not counted.
    mutating func allows(_ device: DeviceTable.Index?, rate: DeviceTokenRate, at now: SimulatedTime) -> Bool {
        guard let device else { return true }
        var span = spans[device] ?? Span(start: now, count: 0)
        if span.start.advanced(by: rate.span) <= now {
            span = Span(start: now, count: 0)
        }
        guard span.count < rate.count else { return false }
        span.count += 1
        spans[device] = span
        return true
    }
}
