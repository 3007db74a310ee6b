package import CarillonModel

/// Divides a dispatcher's slots between Apps.
///
/// An App that is the only one with work has all slots. One more Chunk is allowed for an App that has none, so no App
/// blocks another by using all slots. Among several Apps with work, those that have their share come after those that
/// do not.
package struct SlotShares: Sendable {
    /// The number of slots.
    package struct Limits: Hashable, Sendable {
        /// How many full Chunks are sent at once.
        package var chunks: Int
        /// How many Chunks of any size are sent at once.
        package var smallChunks: Int
        /// The number of Devices of a full Chunk.
        package var chunkSize: Int
        /// How many Chunks are read at once.
        package var loads: Int

        package init(chunks: Int, smallChunks: Int, chunkSize: Int, loads: Int) {
            self.chunks = chunks
            self.smallChunks = smallChunks
            self.chunkSize = chunkSize
            self.loads = loads
        }
    }

    private struct Use: Sendable {
        var chunks = 0
        var devices = 0
        var loads = 0
    }

    /// Extra slots for small Chunks of Apps that have none, beyond the limit.
    private static let reservedSmallChunks = 16

    private let limits: Limits
    private var uses: [AppID: Use] = [:]
    private var total = Use()
    /// How many Devices may be sent beyond the full Chunks, while Chunks wait for answers.
    package var extraDevices = 0 {
        didSet { mostExtraDevices = max(mostExtraDevices, extraDevices) }
    }
    /// The maximum so far: Chunks that were admitted under it may still be sent, and do not reduce the room of others.
    private var mostExtraDevices = 0

    package init(_ limits: Limits) { self.limits = limits }

    /// The number of Apps that have a Chunk or are among others.
    package func appCount(with apps: some Sequence<AppID>) -> Int {
        uses.count + apps.count { uses[$0] == nil }
    }

    /// Whether any App may have one more Chunk.
    package var hasRoom: Bool { total.loads < limits.loads && !isFull(reserve: 1) }

    /// Whether an App may have one more Chunk.
    package func hasRoom(for app: AppID) -> Bool {
        guard total.loads < limits.loads else { return false }
        guard let use = uses[app] else { return !isFull(reserve: 1) }
        // Slow reads of one App leave another App room to read.
        return !isFull(reserve: 0) && use.loads < max(1, limits.loads - 1)
    }

    /// Whether an App has its share of the slots among a number of Apps.
    package func hasShare(_ app: AppID, of apps: Int) -> Bool {
        guard apps > 1, let use = uses[app] else { return false }
        return use.devices * apps >= limits.chunks * limits.chunkSize
            || use.chunks * apps >= limits.smallChunks
    }

    /// Reserves a slot for a Chunk of unknown size that is about to be read.
    package mutating func acquire(for app: AppID) {
        change(app) { [limits] use in
            use.chunks += 1
            use.loads += 1
            use.devices += limits.chunkSize
        }
    }

    /// Records the number of Devices of a Chunk that was read.
    package mutating func load(_ devices: Int, for app: AppID) {
        change(app) { [limits] use in
            use.loads -= 1
            use.devices += devices - limits.chunkSize
        }
    }

    /// Frees the slot of a Chunk that was read.
    package mutating func release(_ devices: Int, for app: AppID) {
        change(app) { use in
            use.chunks -= 1
            use.devices -= devices
        }
    }

    // MARK: - Private

    private func isFull(reserve: Int) -> Bool {
        total.devices > (limits.chunks - 1 + reserve) * limits.chunkSize
            + (reserve > 0 ? mostExtraDevices : extraDevices)
            || total.chunks >= limits.smallChunks + reserve * Self.reservedSmallChunks
    }

    private mutating func change(_ app: AppID, _ body: (inout Use) -> Void) {
        body(&total)
        var use = uses[app] ?? Use()
        body(&use)
        uses[app] = use.chunks > 0 ? use : nil
    }
}
