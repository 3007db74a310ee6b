import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

/// Tokens for calls: rows of `call_tokens`, at most one a Device, of the tenant of the Device.
extension DeviceRepository {
    func setVoIPToken(
        _ registration: VoIPRegistration,
        of caller: DeviceCaller,
        tokensPerUser: App.TokensPerUser,
        at: Timestamp
    ) async throws(StoreError) -> Result<VoIPRecord, EngineError> {
        try await database.write { connection in
            try connection.lock(.device(caller.device, app: caller.app))
            try connection.lock(.token(registration.token, app: caller.app))
            let device: KnownDevice
            switch try connection.devices.knownDevice(caller) {
            case .failure(let error): return .failure(error)
            case .success(let known): device = known
            }
            try connection.voipTokens.takeCallToken(registration, from: caller.app, butOf: device.number)
            if tokensPerUser == .one, let user = device.user {
                try connection.voipTokens.removeCallTokens(of: user, butOf: device.number, app: caller.app)
            }
            try connection.voipTokens.setCallToken(registration, of: device.number, app: caller.app, at: at)
            return .success(VoIPRecord(pushType: registration.pushType, tokenState: .active, registeredAt: at))
        }
    }

    func voIPRecord(of caller: DeviceCaller) async throws(StoreError) -> Result<VoIPRecord?, EngineError> {
        try await database.read { connection in
            switch try connection.devices.knownDevice(caller) {
            case .failure(let error): .failure(error)
            case .success(let device):
                .success(try connection.voipTokens.callRecord(app: caller.app, number: device.number))
            }
        }
    }

    func removeVoIPToken(of caller: DeviceCaller) async throws(StoreError) -> Result<Void, EngineError> {
        try await database.write { connection in
            switch try connection.devices.knownDevice(caller) {
            case .failure(let error): .failure(error)
            case .success(let device):
                .success(try connection.voipTokens.removeCallToken(app: caller.app, number: device.number))
            }
        }
    }
}

extension VoIPTokenTable {
    func removeCallToken(app: AppID, number: DeviceNumber) throws {
        try connection.run("DELETE FROM call_tokens WHERE app_id = $1 AND device_number = $2", app, number)
    }

    /// A Device's number changes.
    func moveCallToken(app: AppID, from old: DeviceNumber, to new: DeviceNumber) throws {
        try connection.run(
            "UPDATE call_tokens SET device_number = $1 WHERE app_id = $2 AND device_number = $3",
            new,
            app,
            old
        )
    }

    /// A Device's tenant changes; whoever has the token for that tenant loses it.
    func moveCallToken(app: AppID, number: DeviceNumber, toTenant tenant: String?) throws {
        try connection.run(
            """
            DELETE FROM call_tokens WHERE app_id = $1 AND tenant = $2 AND device_number <> $3 AND (push_type, token) IN (
                SELECT own.push_type, own.token FROM call_tokens own WHERE own.app_id = $1 AND own.device_number = $3)
            """,
            app,
            tenant ?? "",
            number
        )
        try connection.run(
            "UPDATE call_tokens SET tenant = $1 WHERE app_id = $2 AND device_number = $3",
            tenant ?? "",
            app,
            number
        )
    }

    // MARK: - Private

    fileprivate func callRecord(app: AppID, number: DeviceNumber) throws -> VoIPRecord? {
        let found = try connection.first(
            "SELECT push_type, state, registered_at FROM call_tokens WHERE app_id = $1 AND device_number = $2",
            app,
            number,
            as: (PushType, DeviceRecord.TokenState, Timestamp).self
        )
        return found.map { VoIPRecord(pushType: $0, tokenState: $1, registeredAt: $2) }
    }

    /// Takes a token from any other Device of the same tenant that has it.
    fileprivate func takeCallToken(
        _ registration: VoIPRegistration,
        from app: AppID,
        butOf number: DeviceNumber
    ) throws {
        try connection.run(
            """
            DELETE FROM call_tokens WHERE app_id = $1 AND push_type = $2 AND token = $3 AND device_number <> $4
                AND tenant = (SELECT d.tenant FROM devices d WHERE d.app_id = $1 AND d.number = $4)
            """,
            app,
            registration.pushType,
            registration.token,
            number
        )
    }

    fileprivate func removeCallTokens(
        of user: UserID,
        butOf number: DeviceNumber,
        app: AppID
    ) throws {
        try connection.run(
            """
            DELETE FROM call_tokens WHERE app_id = $1 AND device_number IN (
                SELECT d.number FROM devices d WHERE d.app_id = $1 AND d.user_id = $2 AND d.number <> $3)
            """,
            app,
            user,
            number
        )
    }

    fileprivate func setCallToken(
        _ registration: VoIPRegistration,
        of number: DeviceNumber,
        app: AppID,
        at: Timestamp
    ) throws {
        try connection.run(
            """
            INSERT INTO call_tokens (app_id, device_number, push_type, state, registered_at, token, tenant, unconfirmed)
            SELECT app_id, number, $1, 1, $2, $3, tenant, 1 FROM devices WHERE app_id = $4 AND number = $5
            ON CONFLICT (app_id, device_number) DO UPDATE SET push_type = excluded.push_type, state = 1,
                registered_at = excluded.registered_at, token = excluded.token, tenant = excluded.tenant,
                unconfirmed = CASE WHEN call_tokens.token = excluded.token
                    AND call_tokens.push_type = excluded.push_type THEN call_tokens.unconfirmed ELSE 1 END
            """,
            registration.pushType,
            at,
            registration.token,
            app,
            number
        )
    }
}
