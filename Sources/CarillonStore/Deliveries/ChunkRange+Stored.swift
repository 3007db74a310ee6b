import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// The columns of `chunks` that say what a Chunk is and whose.
enum ChunkColumn: Int, SQLColumn {
    case appID, occurrenceID, chunk, campaignID, wave, afterTime, afterDevice, throughTime, throughDevice, owner, fence
    case hasHalted
}

/// What is read with a Chunk, `k`: of its Occurrence, `o`, and of the session that has it, `s`.
enum ChunkWorkColumn: Int, SQLColumn {
    case state, failures, holder, beat

    var sql: String {
        switch self {
        case .state: "o.state"
        case .failures: "CASE WHEN k.failures > o.failures THEN k.failures ELSE o.failures END"
        case .holder: "s.owner"
        case .beat: "s.beat"
        }
    }
}

extension ChunkRange {
    init(row: SQLRow<ChunkColumn>) throws {
        let after: DeviceNumber = try row[.afterDevice]
        let through: DeviceNumber = try row[.throughDevice]
        if let wave: Int64 = try row[.wave] {
            self = .devices(wave: wave, after: after, through: through)
        } else {
            self = .retries(
                after: RetryPosition(dueAt: try row[.afterTime], device: after),
                through: RetryPosition(dueAt: try row[.throughTime], device: through)
            )
        }
    }

    /// Binds the wave and the four columns of the range.
    func bind(to row: SQLParameters<ChunkColumn>) {
        let never = Timestamp(rawValue: 0)
        let (wave, after, through): (Int64?, RetryPosition, RetryPosition) =
            switch self {
            case .retries(let after, let through): (nil, after, through)
            case .devices(let wave, let after, let through):
                (wave, RetryPosition(dueAt: never, device: after), RetryPosition(dueAt: never, device: through))
            }
        row.bind(wave, to: .wave)
        row.bind(after.dueAt, to: .afterTime)
        row.bind(after.device, to: .afterDevice)
        row.bind(through.dueAt, to: .throughTime)
        row.bind(through.device, to: .throughDevice)
    }
}

extension OpenChunk {
    init(row: SQLRow<ChunkColumn>) throws {
        let work = row.following(ChunkWorkColumn.self)
        let key = ChunkKey(app: try row[.appID], occurrence: try row[.occurrenceID], number: try row[.chunk])
        self.init(
            lease: Lease(
                chunk: key,
                campaign: try row[.campaignID],
                range: try ChunkRange(row: row),
                fence: try row[.fence],
                hasHalted: try row[.hasHalted] ?? false
            ),
            beat: try work[.beat] ?? 0,
            holder: try work[.holder],
            isCancelling: try work[.state] == Campaign.State.cancelling
        )
        failures = try work[.failures]
        isOwned = try (row[.owner] as DispatcherSession?) != nil
    }
}
