import CarillonEngine
import CarillonModel
import CarillonSQL
import NIOConcurrencyHelpers

/// Hands out Devices' numbers from blocks that the database has given away for good, so that a registration need not
/// write a counter.
///
/// What is left of a block when the process ends is never used.
final class DeviceNumbers: Sendable {
    private static let blockSize: Int64 = 4_096

    private struct State {
        var blocks: [AppID: Range<Int64>] = [:]
        /// Reservations that are under way; one an App, whoever needs it too waits for it.
        var reservations: [AppID: Task<Result<Bool, StoreError>, Never>] = [:]
    }

    private let state = NIOLockedValueBox(State())

    /// The next number; `nil` when a block must be reserved first.
    ///
    /// Only the writer calls it, so numbers grow in the order of writing.
    func next(for app: AppID) -> DeviceNumber? {
        state.withLockedValue { state in
            guard let block = state.blocks[app], let number = block.first else { return nil }
            state.blocks[app] = block.dropFirst()
            return DeviceNumber(rawValue: number)
        }
    }

    /// Reserves a block, in a transaction of its own: a number is used only after its block is on the disk.
    ///
    /// - Returns: False when there is no such App.
    func reserve(for app: AppID, in database: any Database) async throws(StoreError) -> Bool {
        let reservation: Task<Result<Bool, StoreError>, Never>? = state.withLockedValue { state in
            // Somebody else's reservation may have ended since this one found nothing.
            guard state.blocks[app]?.isEmpty ?? true else { return nil }
            if let reservation = state.reservations[app] { return reservation }
            let reservation = Task { await reserveBlock(for: app, in: database) }
            state.reservations[app] = reservation
            return reservation
        }
        guard let reservation else { return true }
        return try await reservation.value.get()
    }

    private func reserveBlock(for app: AppID, in database: any Database) async -> Result<Bool, StoreError> {
        let result: Result<Int64?, StoreError>
        do throws(StoreError) {
            result = .success(
                try await database.write { connection in
                    try connection.devices.reserveDeviceNumbers(Self.blockSize, app: app)
                }
            )
        } catch {
            result = .failure(error)
        }
        state.withLockedValue { state in
            state.reservations[app] = nil
            if case .success(let end?) = result { state.blocks[app] = (end - Self.blockSize)..<end }
        }
        return result.map { $0 != nil }
    }
}

extension DeviceTable {
    /// Gives numbers away.
    ///
    /// - Returns: The number after the last of them; `nil` when there is no such App.
    func reserveDeviceNumbers(_ count: Int64, app: AppID) throws -> Int64? {
        try connection.first(
            """
            UPDATE apps SET next_device_number = next_device_number + $1 WHERE id = $2 RETURNING next_device_number
            """,
            count,
            app,
            as: Int64.self
        )
    }
}
