import CarillonEngine
import CarillonModel

/// Tokens for calls: rows of `device_tokens` whose push type is for calls, at most one a Device.
extension DeviceRepository {
    func setVoIPToken(
        _ registration: VoIPRegistration,
        of caller: DeviceCaller,
        at: Timestamp
    ) async throws(StoreError) -> Result<VoIPRecord, EngineError> {
        try await database.write { connection throws(StoreError) in
            let number: DeviceNumber
            switch try connection.knownDevice(caller) {
            case .failure(let error): return .failure(error)
            case .success(let device): number = device.number
            }
            let (token, pushType) = (registration.token, registration.pushType)
            let stored = try connection.voIPToken(app: caller.app, number: number)
            if let stored, stored.token == token, stored.record.pushType == pushType {
                try connection.renewToken(app: caller.app, number: number, pushType: pushType, at: at)
            } else {
                if stored != nil { try connection.removeVoIPToken(app: caller.app, number: number) }
                try connection.giveToken(
                    token,
                    pushType,
                    app: caller.app,
                    number: number,
                    device: caller.device,
                    registeredAt: at,
                    at: at
                )
            }
            return .success(VoIPRecord(pushType: pushType, tokenState: .active, registeredAt: at))
        }
    }

    func voIPRecord(of caller: DeviceCaller) async throws(StoreError) -> Result<VoIPRecord?, EngineError> {
        try await database.read { connection throws(StoreError) in
            switch try connection.knownDevice(caller) {
            case .failure(let error): .failure(error)
            case .success(let device):
                .success(try connection.voIPToken(app: caller.app, number: device.number)?.record)
            }
        }
    }

    func removeVoIPToken(of caller: DeviceCaller) async throws(StoreError) -> Result<Void, EngineError> {
        try await database.write { connection throws(StoreError) in
            switch try connection.knownDevice(caller) {
            case .failure(let error): .failure(error)
            case .success(let device):
                .success(try connection.removeVoIPToken(app: caller.app, number: device.number))
            }
        }
    }
}

extension SQLConnection {
    fileprivate func voIPToken(
        app: AppID,
        number: DeviceNumber
    ) throws(StoreError) -> (token: DeviceToken?, record: VoIPRecord)? {
        try first(
            """
            SELECT push_type, token, state, registered_at FROM device_tokens
            WHERE app_id = $1 AND device_number = $2 AND push_type IN ($3, $4)
            """,
            app,
            number,
            PushType.apnsVoIP.code,
            PushType.apnsVoIPSandbox.code
        ) { row throws(StoreError) in
            let record = VoIPRecord(
                pushType: try .stored(row.int64(0)),
                tokenState: DeviceRecord.TokenState(code: row.int64(2)) ?? .none,
                registeredAt: Timestamp(rawValue: row.int64(3))
            )
            return (DeviceToken(bytes: row.bytes(1)), record)
        }
    }

    fileprivate func removeVoIPToken(app: AppID, number: DeviceNumber) throws(StoreError) {
        try run(
            "DELETE FROM device_tokens WHERE app_id = $1 AND device_number = $2 AND push_type IN ($3, $4)",
            app,
            number,
            PushType.apnsVoIP.code,
            PushType.apnsVoIPSandbox.code
        )
    }
}
