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
            caller.device,
            as: (DeviceNumber, SecretHash?, UserID?).self
        )
        guard let (number, secretHash, user) = found else { return .failure(.notFound(.device)) }
        if let told = caller.secretHash, secretHash != told { return .failure(.refused(.wrongDeviceSecret)) }
        return .success(KnownDevice(number: number, user: user))
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
