import CarillonEngine
import CarillonModel
import CarillonSQL

/// Who asks for something about a Device.
extension DeviceTable {
    /// Finds a caller and holds it against its secret.
    ///
    /// - Parameter caller: Who says to ask.
    /// - Returns: The Device; a failure when there is none or it has another secret.
    /// - Throws: ``StoreError``.
    func knownDevice(_ caller: DeviceCaller) throws -> Result<KnownDevice, EngineError> {
        let found = try connection.first(
            "SELECT number, secret_hash, user_id FROM devices WHERE app_id = $1 AND public_id = $2",
            caller.app,
            caller.device
        ) { row in
            (
                device: KnownDevice(
                    number: DeviceNumber(rawValue: row.int64(0)),
                    user: row.optionalString(2).flatMap(UserID.init(rawValue:))
                ),
                secretHash: row.isNull(1) ? nil : SecretHash(bytes: row.bytes(1))
            )
        }
        guard let found else { return .failure(.notFound(.device)) }
        if let secretHash = caller.secretHash, found.secretHash != secretHash {
            return .failure(.refused(.wrongDeviceSecret))
        }
        return .success(found.device)
    }

    /// Finds the User of a caller.
    ///
    /// - Parameter caller: Who says to ask.
    /// - Returns: The User; a failure as ``knownDevice(_:)``, and when the Device has no User.
    /// - Throws: ``StoreError``.
    func knownUser(_ caller: DeviceCaller) throws -> Result<UserID, EngineError> {
        try knownDevice(caller).flatMap { device in
            device.user.map(Result.success) ?? .failure(.refused(.userRequired))
        }
    }
}
