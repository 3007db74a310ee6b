import CarillonEngine
import CarillonOperatorModel
import CarillonSQL

/// The columns of a Wave, `w`, and of its Occurrence, `o`.
enum OpenWaveColumn: Int, SQLColumn {
    case appID, campaignID, occurrenceID, wave, dueAt, cursor, lastDevice, isRead, state, retryAt, readAt, wakeAt
    case failures, timing

    var sql: String {
        switch self {
        case .lastDevice: "o.last_device"
        case .state: "o.state"
        // It waits while Devices of another Wave are in Chunks.
        case .readAt:
            """
            CASE WHEN w.wave > 1 AND EXISTS (
                SELECT 1 FROM chunks k WHERE k.app_id = w.app_id AND k.occurrence_id = w.occurrence_id
                    AND k.wave <> w.wave) THEN NULL ELSE w.read_at END
            """
        case .failures: "o.failures"
        case .timing: "(SELECT c.timing FROM campaigns c WHERE c.app_id = w.app_id AND c.id = w.campaign_id)"
        default: name
        }
    }
}

extension OpenWave {
    init(row: SQLRow<OpenWaveColumn>) throws {
        self.init(
            app: try row[.appID],
            campaign: try row[.campaignID],
            occurrence: try row[.occurrenceID],
            wave: try row[.wave],
            dueAt: try row[.dueAt],
            cursor: try row[.cursor],
            lastDevice: try row[.lastDevice],
            isRead: try row[.isRead],
            isCancelling: try row[.state] == Campaign.State.cancelling,
            nextRetry: try row[.retryAt],
            readAt: try row[.readAt]
        )
        wakeAt = try row[.wakeAt]
        failures = try row[.failures]
        pace = (try row[.timing] as JSONColumn<CampaignTiming>?)?.value.pace
    }
}
