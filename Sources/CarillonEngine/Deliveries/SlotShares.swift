package import CarillonModel

/// How a dispatcher's slots are shared between Apps.
///
/// An App that is alone with its work has all slots. Beyond them there is room for one more Chunk, of an App that has
/// none under way: so no App ever keeps another waiting with all slots. Where several have work, one that has its share
/// of the slots comes after those that have not.
package struct SlotShares: Sendable {
    /// How many there are.
    package struct Limits: Hashable, Sendable {
        /// How many full Chunks are under way at once.
        package var chunks: Int
        /// How many Chunks of whatever size are under way at once.
        package var smallChunks: Int
        /// How many Devices a full Chunk has.
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

    /// Room for small Chunks of Apps that have none under way, beyond the limit.
    private static let reservedSmallChunks = 16

    private let limits: Limits
    private var uses: [AppID: Use] = [:]
    private var total = Use()
    /// How many Devices may be under way beyond the full Chunks: those of Chunks that wait for answers.
    package var extraDevices = 0 {
        didSet { mostExtraDevices = max(mostExtraDevices, extraDevices) }
    }
    /// The most that were: Chunks that were taken up then may be under way still, and leave others their room.
    private var mostExtraDevices = 0

    package init(_ limits: Limits) { self.limits = limits }

    /// How many Apps have a Chunk under way or are among others.
    package func appCount(with apps: some Sequence<AppID>) -> Int {
        uses.count + apps.count { uses[$0] == nil }
    }

    /// Whether some App may have one more Chunk.
    package var hasRoom: Bool { total.loads < limits.loads && !isFull(reserve: 1) }

    /// Whether an App may have one more Chunk.
    package func hasRoom(for app: AppID) -> Bool {
        guard total.loads < limits.loads else { return false }
        guard let use = uses[app] else { return !isFull(reserve: 1) }
        // Slow reads of one App leave another room to read.
        return !isFull(reserve: 0) && use.loads < max(1, limits.loads - 1)
    }

    /// Whether an App has its share of the slots, of so many Apps.
    package func hasShare(_ app: AppID, of apps: Int) -> Bool {
        guard apps > 1, let use = uses[app] else { return false }
        return use.devices * apps >= limits.chunks * limits.chunkSize
            || use.chunks * apps >= limits.smallChunks
    }

    /// Takes a slot for a Chunk that is about to be read and may be full.
    package mutating func take(for app: AppID) {
        change(app) { [limits] use in
            use.chunks += 1
            use.loads += 1
            use.devices += limits.chunkSize
        }
    }

    /// Notes how many Devices a Chunk has that was read.
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
