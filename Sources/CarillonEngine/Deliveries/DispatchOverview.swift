package import CarillonModel
package import CarillonOperatorModel

/// A scheduled Campaign that is due.
package struct DueCampaign: Hashable, Sendable {
    package var campaign: CampaignID
    package var app: AppID
    package var dueAt: Timestamp

    package init(campaign: CampaignID, app: AppID, dueAt: Timestamp) {
        self.campaign = campaign
        self.app = app
        self.dueAt = dueAt
    }
}

/// A position in the order in which an App's Waves take turns.
package struct WavePosition: Hashable, Comparable, Sendable {
    package var wakeAt: Timestamp
    package var occurrence: OccurrenceID

    package init(wakeAt: Timestamp, occurrence: OccurrenceID) {
        self.wakeAt = wakeAt
        self.occurrence = occurrence
    }

    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.wakeAt, lhs.occurrence.rawValue) < (rhs.wakeAt, rhs.occurrence.rawValue)
    }
}

/// The position of a dispatcher's looks at the work: each sees some of it, and together they see all.
package struct WorkCursor: Hashable, Sendable {
    /// The maximum number of Apps whose positions are stored.
    private static let capacity = 4_096

    /// The App up to which Apps were looked at.
    package var app: AppID?
    /// The App whose turn was last.
    package var lastTurn: AppID?
    /// Which of an App's Waves had its turn last.
    package private(set) var waves: [AppID: WavePosition] = [:]
    /// The last held Chunk that was seen, while there are more.
    package var chunk: ChunkKey?
    /// The last due Campaign that was seen, while there are more.
    package var campaign: DueCampaign?

    package init() {}

    /// Records that a Wave had its turn.
    package mutating func record(_ wave: OpenWave) {
        if waves.count >= Self.capacity, waves[wave.app] == nil { waves.removeAll() }
        waves[wave.app] = wave.position
    }
}

/// The work there is, and when there will be more: all of it, or some when there is much.
package struct DispatchOverview: Hashable, Sendable {
    /// Due scheduled Campaigns, earliest first.
    package var dueCampaigns: [DueCampaign]
    /// When the next scheduled Campaign, Wave, retry or returned Chunk becomes due.
    package var nextWake: Timestamp?
    /// Incomplete Chunks of Campaigns that are being sent or cancelled; of those that were given back, the due ones.
    package var chunks: [OpenChunk]
    /// Waves with work.
    package var waves: [OpenWave]
    /// Where the next look continues among due Campaigns; `nil` when all were seen.
    package var moreCampaigns: DueCampaign?
    /// Where the next look continues among held Chunks; `nil` when all were seen.
    package var moreChunks: ChunkKey?
    /// Whether there are so many Waves that only those of a few Apps after the cursor are listed.
    package var isByApp = false
    /// Where the next look continues among Apps then; `nil` when the last was seen.
    package var moreApps: AppID?

    package init(
        dueCampaigns: [DueCampaign] = [],
        nextWake: Timestamp? = nil,
        chunks: [OpenChunk] = [],
        waves: [OpenWave] = []
    ) {
        self.dueCampaigns = dueCampaigns
        self.nextWake = nextWake
        self.chunks = chunks
        self.waves = waves
    }

    /// Campaigns with an Occurrence that is listed and `sending`.
    package var sendingCampaigns: Set<CampaignID> {
        var campaigns = Set(chunks.filter { !$0.isCancelling }.map(\.lease.campaign))
        for wave in waves where !wave.isCancelling { campaigns.insert(wave.campaign) }
        return campaigns
    }

    /// Apps of which something is listed that may be sent.
    package var sendingApps: Set<AppID> {
        var apps = Set(dueCampaigns.map(\.app))
        for chunk in chunks where !chunk.isCancelling { apps.insert(chunk.lease.chunk.app) }
        for wave in waves where !wave.isCancelling { apps.insert(wave.app) }
        return apps
    }

    /// Removes the work of some Occurrences and some Apps.
    mutating func leaveOut(_ occurrences: Set<OccurrenceID>, of apps: Set<AppID>) {
        guard !occurrences.isEmpty else { return }
        chunks.removeAll { occurrences.contains($0.lease.chunk.occurrence) || apps.contains($0.lease.chunk.app) }
        waves.removeAll { occurrences.contains($0.occurrence) || apps.contains($0.app) }
    }
}
