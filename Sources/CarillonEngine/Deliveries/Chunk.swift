package import CarillonModel
package import CarillonOperatorModel

/// Identifies a Chunk: the unit of work, lease and commit.
package struct ChunkKey: Hashable, Sendable {
    package var app: AppID
    package var occurrence: OccurrenceID
    /// Counts the Occurrence's Chunks.
    package var number: Int64

    package init(app: AppID, occurrence: OccurrenceID, number: Int64) {
        self.app = app
        self.occurrence = occurrence
        self.number = number
    }
}

/// What a Chunk covers.
package enum ChunkRange: Hashable, Sendable {
    /// A Wave's matching Devices with numbers greater than `after`, up to `through`.
    case devices(wave: Int64, after: DeviceNumber, through: DeviceNumber)
    /// Notifications to be retried, ordered by time and number: those later than `after`, up to `through`.
    case retries(after: RetryPosition, through: RetryPosition)
}

extension ChunkRange {
    /// When the Wave is due; `nil` when it has no time, and for retries.
    package var waveDue: Timestamp? {
        guard case .devices(let wave, _, _) = self, wave > OpenWave.first else { return nil }
        return Timestamp(rawValue: wave)
    }
}

/// A position in the order of retries.
package struct RetryPosition: Hashable, Comparable, Sendable {
    package var dueAt: Timestamp
    package var device: DeviceNumber

    package init(dueAt: Timestamp, device: DeviceNumber) {
        self.dueAt = dueAt
        self.device = device
    }

    /// Before all other positions.
    package static let start = RetryPosition(dueAt: Timestamp(rawValue: -1), device: DeviceNumber(rawValue: -1))

    package static func < (lhs: Self, rhs: Self) -> Bool { (lhs.dueAt, lhs.device) < (rhs.dueAt, rhs.device) }
}

/// A claim on a Chunk, which lasts as long as its holder's ``DispatcherSession``.
///
/// The fence grows with each lease of a Chunk; the store refuses a holder with an older one.
package struct Lease: Hashable, Sendable {
    package var chunk: ChunkKey
    package var campaign: CampaignID
    package var range: ChunkRange
    package var fence: Int64
    /// Whether the Chunk paused the Campaign before and somebody resumed it.
    package var hasHalted: Bool

    package init(chunk: ChunkKey, campaign: CampaignID, range: ChunkRange, fence: Int64, hasHalted: Bool = false) {
        self.chunk = chunk
        self.campaign = campaign
        self.range = range
        self.fence = fence
        self.hasHalted = hasHalted
    }
}

/// A store's answer to the holder of a lease.
package enum LeaseAnswer: Hashable, Sendable {
    /// The lease holds; the Campaign is in this state.
    case held(Campaign.State)
    /// Another session has the Chunk, or it is complete: nothing was written.
    case refused
}

/// A Chunk that is not complete, as all dispatchers see it.
package struct OpenChunk: Hashable, Sendable {
    package var lease: Lease
    /// Grows with every heartbeat of the holder.
    package var beat: Int64
    /// The holder; `nil` when the Chunk was given back, or when its holder's session is over.
    package var holder: DispatcherSession?
    /// Whether it was not given back: its holder lives, or ended without giving it back.
    package var isOwned = false
    /// Whether the Campaign is being cancelled: nothing new is sent.
    package var isCancelling: Bool
    /// How often in a row work at the Chunk or its Occurrence failed.
    package var failures = 0

    package init(lease: Lease, beat: Int64, holder: DispatcherSession?, isCancelling: Bool) {
        self.lease = lease
        self.beat = beat
        self.holder = holder
        self.isCancelling = isCancelling
    }

    /// Whether a session that leases it takes it over from another one.
    ///
    /// That one may be over already: whoever takes over the first Chunk of a lost node ends its session.
    package func isTakenOver(by session: DispatcherSession) -> Bool { isOwned && holder != session }
}

/// A Wave, the part of an Occurrence sent at one instant, with its progress.
package struct OpenWave: Hashable, Sendable {
    /// The number of the first Wave of an Occurrence that is sent at once.
    package static let first: Int64 = 1

    package var app: AppID
    package var campaign: CampaignID
    package var occurrence: OccurrenceID
    /// When it is due, in milliseconds since 1970, or ``first``.
    package var wave: Int64
    package var dueAt: Timestamp
    /// When more of it may be read; `nil` while an earlier Wave of the Occurrence is being sent.
    package var readAt: Timestamp?
    /// The last Device that belongs to a Chunk.
    package var cursor: DeviceNumber
    /// The last Device that existed when the Occurrence began.
    package var lastDevice: DeviceNumber
    /// Whether all Devices belong to Chunks.
    package var isRead: Bool
    /// Whether the Campaign is being cancelled: nothing new is sent.
    package var isCancelling: Bool
    /// When the Occurrence's next retry that belongs to no Chunk is due.
    package var nextRetry: Timestamp?
    /// When work on it is due.
    package var wakeAt = Timestamp(rawValue: 0)
    /// How often in a row work at the Occurrence failed.
    package var failures = 0
    /// How fast it is read now: the Campaign's, which may change while it is being sent.
    package var pace: Pace?

    package init(
        app: AppID,
        campaign: CampaignID,
        occurrence: OccurrenceID,
        wave: Int64,
        dueAt: Timestamp,
        cursor: DeviceNumber,
        lastDevice: DeviceNumber,
        isRead: Bool,
        isCancelling: Bool,
        nextRetry: Timestamp?,
        readAt: Timestamp? = Timestamp(rawValue: 0)
    ) {
        self.app = app
        self.campaign = campaign
        self.occurrence = occurrence
        self.wave = wave
        self.dueAt = dueAt
        self.readAt = readAt
        self.cursor = cursor
        self.lastDevice = lastDevice
        self.isRead = isRead
        self.isCancelling = isCancelling
        self.nextRetry = nextRetry
    }
}

extension OpenWave {
    /// Its position among its App's Waves.
    package var position: WavePosition { WavePosition(wakeAt: wakeAt, occurrence: occurrence) }
}
