import CarillonEngine
import CarillonModel
import CarillonSQL

extension ChunkRange {
    /// Reads `wave` and the four columns of the range.
    init(_ row: any SQLStatement, from column: Int) {
        let after = DeviceNumber(rawValue: row.int64(column + 2))
        let through = DeviceNumber(rawValue: row.int64(column + 4))
        if let wave = row.optionalInt64(column) {
            self = .devices(wave: wave, after: after, through: through)
        } else {
            self = .retries(
                after: RetryPosition(dueAt: Timestamp(rawValue: row.int64(column + 1)), device: after),
                through: RetryPosition(dueAt: Timestamp(rawValue: row.int64(column + 3)), device: through)
            )
        }
    }
}
