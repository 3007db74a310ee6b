package import CarillonModel
package import CarillonOperatorModel

/// A scheduled Campaign whose time has come.
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

/// A place in the order in which an App's Waves take turns.
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

/// Where a dispatcher's looks at the work have come to: each sees some of it, and all of it is seen in turn.
package struct WorkCursor: Hashable, Sendable {
    /// How many Apps' positions are remembered.
    private static let capacity = 4_096

    /// The App up to which Apps were looked at.
    package var app: AppID?
    /// The App whose turn it was last.
    package var lastTurn: AppID?
    /// Which of an App's Waves had its turn last.
    package private(set) var waves: [AppID: WavePosition] = [:]
    /// The last held Chunk that was seen, while there are more.
    package var chunk: ChunkKey?
    /// The last due Campaign that was seen, while there are more.
    package var campaign: DueCampaign?

    package init() {}

    /// Notes that a Wave had its turn.
    package mutating func note(_ wave: OpenWave) {
        if waves.count >= Self.capacity, waves[wave.app] == nil { waves.removeAll() }
        waves[wave.app] = wave.position
    }
}

/// What there is to do, and when there will be more: all of it, or where it is much, some.
package struct DispatchOverview: Hashable, Sendable {
    /// Scheduled Campaigns whose time has come, earliest first.
    package var dueCampaigns: [DueCampaign]
    /// When the next scheduled Campaign, Wave, retry or returned Chunk is due, of those that are not.
    package var nextWake: Timestamp?
    /// Chunks that are not over, of Campaigns that are being sent or cancelled: of those that were given back the ones
    /// whose time has come.
    package var chunks: [OpenChunk]
    /// Waves that there is something to do for.
    package var waves: [OpenWave]
    /// Where the next look goes on among due Campaigns; `nil` when all were seen.
    package var moreCampaigns: DueCampaign?
    /// Where the next look goes on among held Chunks; `nil` when all were seen.
    package var moreChunks: ChunkKey?
    /// There are so many Waves that those of a few Apps are listed, after the cursor's.
    package var isByApp = false
    /// Where the next look goes on among Apps then; `nil` when the last was seen.
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

    /// Takes out what is to do for some Occurrences and for some Apps.
    mutating func leaveOut(_ occurrences: Set<OccurrenceID>, of apps: Set<AppID>) {
        guard !occurrences.isEmpty else { return }
        chunks.removeAll { occurrences.contains($0.lease.chunk.occurrence) || apps.contains($0.lease.chunk.app) }
        waves.removeAll { occurrences.contains($0.occurrence) || apps.contains($0.app) }
    }
}
