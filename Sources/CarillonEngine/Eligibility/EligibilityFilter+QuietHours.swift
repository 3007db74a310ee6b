import CarillonModel
import CarillonOperatorModel

/// Quiet hours of an App, and nights for ads.
extension EligibilityFilter {
    /// Applies the App's quiet hours to a row; `nil` when they do not delay it.
    func quietHours(_ zone: Int, isNightBound: Bool) -> Eligibility? {
        guard !quiet.isEmpty, quiet[zone]?.isInside == true else { return nil }
        guard facts.quietHours?.policy == .defer else { return .skipped(.quietHours) }
        return .waits(until: end(zone, isNightBound: isNightBound))
    }

    /// The first instant that is neither in the night nor in quiet hours.
    func end(_ zone: Int, isNightBound: Bool) -> Timestamp {
        let name = recipients.zoneNames.texts[zone]
        let hours = facts.quietHours.flatMap { $0.policy == .defer ? $0 : nil }
        var end =
            isNightBound && nights[zone]?.isNow == true ? nights[zone]?.end : quiet.isEmpty ? nil : quiet[zone]?.end
        // The end of one may be inside the other; after two rounds both are checked.
        for _ in 0..<4 {
            guard let instant = end else { break }
            if let window, let hours,
                let position = zones.position(of: instant, in: window, zone: name, or: hours.zone),
                position.isInside
            {
                end = position.end
            } else if isNightBound, let night = zones.night(in: name, at: instant), night.isNow {
                end = night.end
            } else {
                break
            }
        }
        return end ?? facts.startedAt
    }
}
