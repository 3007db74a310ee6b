package import CarillonModel
package import CarillonOperatorModel

/// Names a Chunk: the unit of work, lease and commit.
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
    /// A Wave's matching Devices after one number, through another.
    case devices(wave: Int64, after: DeviceNumber, through: DeviceNumber)
    /// Notifications to be tried again, by time and number, after one, through another.
    case retries(after: RetryPosition, through: RetryPosition)
}

extension ChunkRange {
    /// When the Wave is due; `nil` when it has no time, or for what is tried again.
    package var waveDue: Timestamp? {
        guard case .devices(let wave, _, _) = self, wave > OpenWave.first else { return nil }
        return Timestamp(rawValue: wave)
    }
}

/// A place in the order in which notifications are tried again.
package struct RetryPosition: Hashable, Comparable, Sendable {
    package var dueAt: Timestamp
    package var device: DeviceNumber

    package init(dueAt: Timestamp, device: DeviceNumber) {
        self.dueAt = dueAt
        self.device = device
    }

    /// Before all others.
    package static let start = RetryPosition(dueAt: Timestamp(rawValue: -1), device: DeviceNumber(rawValue: -1))

    package static func < (lhs: Self, rhs: Self) -> Bool { (lhs.dueAt, lhs.device) < (rhs.dueAt, rhs.device) }
}

/// A claim on a Chunk, which lasts as long as its holder's ``DispatcherSession``.
///
/// The fence grows with each lease of a Chunk: whoever comes with an older one is refused.
package struct Lease: Hashable, Sendable {
    package var chunk: ChunkKey
    package var campaign: CampaignID
    package var range: ChunkRange
    package var fence: Int64
    /// It made the Campaign pause before, and somebody resumed that.
    package var hasHalted: Bool

    package init(chunk: ChunkKey, campaign: CampaignID, range: ChunkRange, fence: Int64, hasHalted: Bool = false) {
        self.chunk = chunk
        self.campaign = campaign
        self.range = range
        self.fence = fence
        self.hasHalted = hasHalted
    }
}

/// What a store answers to the holder of a lease.
package enum LeaseAnswer: Hashable, Sendable {
    /// The lease holds; the Campaign stands so.
    case held(Campaign.State)
    /// Somebody else has the Chunk now, or it is over: nothing was written.
    case refused
}

/// A Chunk that is not over, as everybody sees it.
package struct OpenChunk: Hashable, Sendable {
    package var lease: Lease
    /// Grows with every heartbeat of the holder.
    package var beat: Int64
    /// Whose it is; `nil` when it was given back, or when its holder's session is over.
    package var holder: DispatcherSession?
    /// Whether it was not given back: its holder lives, or is gone without having done so.
    package var isOwned = false
    /// The Campaign is being cancelled: nothing new goes out.
    package var isCancelling: Bool
    /// How often in a row work at the Chunk or its Occurrence could not go on.
    package var failures = 0

    package init(lease: Lease, beat: Int64, holder: DispatcherSession?, isCancelling: Bool) {
        self.lease = lease
        self.beat = beat
        self.holder = holder
        self.isCancelling = isCancelling
    }

    /// Whether a session that leases it takes it over from another one, which may be over already: whoever takes over the
    /// first Chunk of a lost node ends the session of all.
    package func isTakenOver(by session: DispatcherSession) -> Bool { isOwned && holder != session }
}

/// A Wave, the part of an Occurrence sent at one instant, as far as it has come.
package struct OpenWave: Hashable, Sendable {
    /// The number of the first Wave of an Occurrence that goes out at once.
    package static let first: Int64 = 1

    package var app: AppID
    package var campaign: CampaignID
    package var occurrence: OccurrenceID
    /// When it is due, in milliseconds since 1970, or ``first``.
    package var wave: Int64
    package var dueAt: Timestamp
    /// When more of it may be read; `nil` as long as an earlier Wave of the Occurrence is under way.
    package var readAt: Timestamp?
    /// The last Device that is in a Chunk.
    package var cursor: DeviceNumber
    /// The last Device there was when the Occurrence began.
    package var lastDevice: DeviceNumber
    /// Whether all Devices are in Chunks.
    package var isRead: Bool
    /// The Campaign is being cancelled: nothing new goes out.
    package var isCancelling: Bool
    /// When the Occurrence's next retry is due, of those that are in no Chunk.
    package var nextRetry: Timestamp?
    /// When there is something to do for it.
    package var wakeAt = Timestamp(rawValue: 0)
    /// How often in a row work at the Occurrence could not go on.
    package var failures = 0

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
    /// Where it stands among its App's Waves.
    package var position: WavePosition { WavePosition(wakeAt: wakeAt, occurrence: occurrence) }
}
