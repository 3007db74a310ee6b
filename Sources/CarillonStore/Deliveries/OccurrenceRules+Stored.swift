import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension OccurrenceRules {
    /// Reads a Campaign's timing, its App's rules and which firing it is; the columns in this order.
    static func stored(_ row: any SQLStatement, from column: Int) throws -> OccurrenceRules {
        var rules = OccurrenceRules()
        let (slot, part) = (row.int64(column + 2), row.int64(column + 3))
        rules.plannedAt = Timestamp(rawValue: row.int64(column + 4))
        if !row.isNull(column) {
            let timing: CampaignTiming = try JSONColumn.value(row, at: column)
            rules.validFor = timing.validFor.map { .seconds($0) }
            rules.pace = timing.pace
            rules.nightPolicy = timing.nightPolicy ?? .skip
            rules.isTransactional = timing.isTransactional ?? false
            if case .groups(let count, _) = timing.pace { rules.group = Group(index: part, count: Int64(count)) }
            if let schedule = timing.schedule, schedule.isLocal {
                rules.local = LocalTime(
                    wall: WallTime(minutes: Int(slot)),
                    zone: schedule.zone,
                    acceptedAt: Timestamp(rawValue: row.int64(column + 5))
                )
            }
        }
        if !row.isNull(column + 1) { rules.app = try JSONColumn.value(row, at: column + 1) }
        return rules
    }
}
