package import CarillonModel

/// A Device as it is stored.
package struct StoredDevice: Hashable, Sendable {
    package var number: DeviceNumber
    /// `nil` when it was imported, or registered through a vendor API, and its app has not registered with a secret yet.
    package var secretHash: SecretHash?
    /// Its last registration, without a proof.
    ///
    /// The token is the one that was registered, whatever its state.
    package var registration: Registration
    /// The times of the person's consents.
    package var consentTimes: ConsentTimes
    package var tokenState: DeviceRecord.TokenState
    package var createdAt: Timestamp
    package var registeredAt: Timestamp
    /// Whether its last registrations without a secret came through a vendor API, and not from a file alone.
    package var isRegisteredAtVendorAPI = false

    package init(
        number: DeviceNumber,
        secretHash: SecretHash?,
        registration: Registration,
        consentTimes: ConsentTimes = ConsentTimes(),
        tokenState: DeviceRecord.TokenState,
        createdAt: Timestamp,
        registeredAt: Timestamp
    ) {
        self.number = number
        self.secretHash = secretHash
        self.registration = registration
        self.consentTimes = consentTimes
        self.tokenState = tokenState
        self.createdAt = createdAt
        self.registeredAt = registeredAt
    }

    /// The Device as the API shows it.
    package func record(_ device: DeviceID, app: AppID) -> DeviceRecord {
        DeviceRecord(
            device: device,
            app: app,
            registration: registration,
            consentTimes: consentTimes,
            tokenState: tokenState,
            createdAt: createdAt,
            registeredAt: registeredAt
        )
    }
}
