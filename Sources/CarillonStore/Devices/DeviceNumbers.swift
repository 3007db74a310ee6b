import CarillonEngine
import CarillonModel
import Synchronization

/// Hands out Devices' numbers from blocks that the database has given away for good, so that a registration need not
/// write a counter.
///
/// What is left of a block when the process ends is never used.
final class DeviceNumbers: Sendable {
    private static let blockSize: Int64 = 4_096

    private let blocks = Mutex<[AppID: Range<Int64>]>([:])

    /// The next number; `nil` when a block must be reserved first.
    ///
    /// Only the writer calls it, so numbers grow in the order of writing.
    func next(for app: AppID) -> DeviceNumber? {
        blocks.withLock { blocks in
            guard let block = blocks[app], let number = block.first else { return nil }
            blocks[app] = block.dropFirst()
            return DeviceNumber(rawValue: number)
        }
    }

    /// Reserves a block, in a transaction of its own: a number is used only after its block is on the disk.
    ///
    /// - Returns: False when there is no such App.
    func reserve(for app: AppID, in database: any Database) async throws(StoreError) -> Bool {
        let end = try await database.write { connection throws(StoreError) in
            try connection.reserveDeviceNumbers(Self.blockSize, app: app)
        }
        guard let end else { return false }
        blocks.withLock { blocks in
            // Of two that reserved at the same time the later block wins: numbers never go back.
            if end > blocks[app]?.upperBound ?? 0 { blocks[app] = (end - Self.blockSize)..<end }
        }
        return true
    }
}

extension SQLConnection {
    /// Gives numbers away.
    ///
    /// - Returns: The number after the last of them; `nil` when there is no such App.
    func reserveDeviceNumbers(_ count: Int64, app: AppID) throws(StoreError) -> Int64? {
        try first(
            """
            UPDATE apps SET next_device_number = next_device_number + $1 WHERE id = $2 RETURNING next_device_number
            """,
            count,
            app
        ) { row throws(StoreError) in row.int64(0) }
    }
}
