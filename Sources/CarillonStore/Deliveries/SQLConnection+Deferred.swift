import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// How many Devices of an Occurrence wait for their time: in local time, for the morning, for the end of quiet hours.
///
/// The first Wave looks at all Devices and counts those that wait. Each later one looks at all again; what it decides
/// is off the count. A Device that changes meanwhile may be counted wrongly until the Occurrence is over.
extension SQLConnection {
    /// Counts Devices that a Wave left to later ones; only the first one's count.
    func countDeferred(
        _ count: Int,
        in wave: Int64,
        of occurrence: OccurrenceID,
        app: AppID
    ) throws(StoreError) {
        guard count > 0, try isFirst(wave, of: occurrence, app: app) else { return }
        try addToTotal(count, outcome: Delivery.Outcome.deferredCode, reason: 0, of: occurrence, app: app)
    }

    /// Takes Devices off the count that a later Wave decided about.
    func countDecided(
        _ count: Int,
        in wave: Int64,
        of occurrence: OccurrenceID,
        app: AppID
    ) throws(StoreError) {
        guard count > 0, try !isFirst(wave, of: occurrence, app: app) else { return }
        try addToTotal(-count, outcome: Delivery.Outcome.deferredCode, reason: 0, of: occurrence, app: app)
    }

    /// Forgets the count of an Occurrence that is over.
    func forgetDeferred(of occurrence: OccurrenceID, app: AppID) throws(StoreError) {
        try run(
            "DELETE FROM delivery_counts WHERE app_id = $1 AND occurrence_id = $2 AND outcome = $3",
            app,
            occurrence,
            Delivery.Outcome.deferredCode
        )
    }

    /// Whether a Wave is the one that an Occurrence begins with: it has no time, or that of the firing.
    private func isFirst(_ wave: Int64, of occurrence: OccurrenceID, app: AppID) throws(StoreError) -> Bool {
        guard wave > OpenWave.first else { return true }
        let planned = try first("SELECT planned_at FROM occurrences WHERE app_id = $1 AND id = $2", app, occurrence) {
            $0.int64(0)
        }
        return planned == wave
    }
}

extension OutcomeWriter {
    /// Counts what waits for its time, or takes off the count what does no longer.
    func writeDeferred() throws(StoreError) {
        guard case .devices(let wave, _, _) = commit.lease.range else { return }
        try connection.countDeferred(commit.deferredCount, in: wave, of: key.occurrence, app: key.app)
        guard wave > OpenWave.first else { return }
        let decided = commit.rows.count + commit.retries.count
        try connection.countDecided(decided, in: wave, of: key.occurrence, app: key.app)
    }
}
