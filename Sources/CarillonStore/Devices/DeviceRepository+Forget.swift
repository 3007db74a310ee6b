import CarillonEngine
import CarillonModel
import CarillonSQL

/// Forgetting a Device, and with it its User.
extension DeviceRepository {
    func forgottenUser(
        _ caller: DeviceCaller,
        evenIfOthers: Bool
    ) async throws(StoreError) -> Result<UserID?, EngineError> {
        try await database.read { connection in
            switch try connection.devices.knownDevice(caller) {
            case .failure(let error): return .failure(error)
            case .success(let device):
                guard let user = device.user else { return .success(nil) }
                let count = try connection.devices.countDevices(of: user, app: caller.app)
                return .success(evenIfOthers || count == 1 ? user : nil)
            }
        }
    }

    func forget(
        _ caller: DeviceCaller,
        user: UserID?,
        isPastErased: Bool,
        at now: Timestamp
    ) async throws(StoreError) -> Result<Void, EngineError> {
        try await database.write { connection in
            if case .failure(let error) = try connection.devices.knownDevice(caller) { return .failure(error) }
            guard var row = try connection.devices.deviceToDelete(app: caller.app, device: caller.device) else {
                return .failure(.notFound(.device))
            }
            if let user {
                try connection.tags.removeTags(of: user, app: caller.app)
                try connection.attributes.removeAttributes(of: user, app: caller.app)
                try connection.contentFollows.removeAll(of: user, app: caller.app)
                row.tags = .none
                // Numbers under which something is kept stay: by them an erasure finds it.
                if isPastErased {
                    try connection.run(
                        "DELETE FROM deleted_devices WHERE app_id = $1 AND user_id = $2",
                        caller.app,
                        user
                    )
                }
            }
            try connection.devices.deleteDevice(row, at: now)
            return .success(())
        }
    }
}

extension DeviceTable {
    /// Deletes a Device and its tokens, and what tells which numbers it had before.
    ///
    /// The tags of its User stay with the User.
    ///
    /// - Parameters:
    ///   - row: The Device.
    ///   - now: When.
    /// - Throws: ``StoreError``.
    func deleteDevice(_ row: DeviceRow, at now: Timestamp) throws {
        try noteToken(of: row, at: now)
        try deleteWithoutNote(row)
    }

    private func deleteWithoutNote(_ row: DeviceRow) throws {
        try deleteRow(of: row)
        try connection.run(
            "DELETE FROM former_device_numbers WHERE app_id = $1 AND public_id = $2",
            row.app,
            row.device
        )
    }

    /// Deletes a Device as ``deleteDevice(_:at:)`` does, and notes the numbers that were Users': what the Device reported
    /// under them stays, and an erasure of the User finds it.
    ///
    /// - Parameters:
    ///   - row: The Device.
    ///   - now: When.
    ///   - keepsToken: Whether another Device gets the token: then nobody has left.
    /// - Throws: ``StoreError``.
    func deleteDevice(_ row: DeviceRow, notedAt now: Timestamp, keepsToken: Bool = false) throws {
        if let user = row.registration.user {
            try connection.send(
                """
                INSERT INTO deleted_devices (app_id, number, user_id, public_id, deleted_at) VALUES ($1, $2, $3, $4, $5)
                ON CONFLICT DO NOTHING
                """,
                row.app,
                row.number,
                user,
                row.device,
                now
            )
        }
        try connection.send(
            """
            INSERT INTO deleted_devices (app_id, number, user_id, public_id, deleted_at)
            SELECT app_id, number, user_id, public_id, $1 FROM former_device_numbers
            WHERE app_id = $2 AND public_id = $3 AND user_id IS NOT NULL ON CONFLICT DO NOTHING
            """,
            now,
            row.app,
            row.device
        )
        if !keepsToken { try noteToken(of: row, at: now) }
        try deleteWithoutNote(row)
    }

    /// Deletes a Device of a User who is erased.
    ///
    /// All numbers that it had count as the User's from now on, other people's of before too: they go with the Device, as
    /// ever.
    func eraseDevice(_ row: DeviceRow, of user: UserID, at now: Timestamp) throws {
        try noteToken(of: row, at: now)
        try deleteRow(of: row)
        try connection.run(
            "UPDATE former_device_numbers SET user_id = $1 WHERE app_id = $2 AND public_id = $3",
            user,
            row.app,
            row.device
        )
        try insertFormerNumber(app: row.app, number: row.number, device: row.device, user: user, at: now)
    }

    private func noteToken(of row: DeviceRow, at now: Timestamp) throws {
        guard let token = row.registration.token else { return }
        let left = TenantToken(token: token, tenant: row.registration.tenant)
        try connection.removedTokens.note(left, app: row.app, at: now)
    }

    private func deleteRow(of row: DeviceRow) throws {
        try connection.tags.parkTags(of: row)
        try updateLabels(from: row, to: nil)
        try connection.voipTokens.removeCallToken(app: row.app, number: row.number)
        try connection.consents.forgetConsents(of: row)
        try connection.badges.delete(row.number, app: row.app)
        try connection.testDevices.delete(row.number, app: row.app)
        try connection.run("DELETE FROM devices WHERE app_id = $1 AND number = $2", row.app, row.number)
        try connection.run("DELETE FROM invalid_tokens WHERE app_id = $1 AND device_number = $2", row.app, row.number)
        try connection.run("DELETE FROM vendor_device_ids WHERE app_id = $1 AND public_id = $2", row.app, row.device)
    }

    /// How many Devices a User has; two stand for any more.
    fileprivate func countDevices(of user: UserID, app: AppID) throws -> Int {
        try connection.all("SELECT number FROM devices WHERE app_id = $1 AND user_id = $2 LIMIT 2", app, user) { _ in
            true
        }.count
    }
}
