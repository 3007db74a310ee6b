package import CarillonModel
package import CarillonOperatorModel

/// A code to be stored.
package struct NewTestPairing: Hashable, Sendable {
    package var app: AppID
    /// The hash of ``TestPairing/code`` and the App.
    package var code: SecretHash
    /// What the Device will be called, and whose it is.
    package var request: TestPairingRequest
    package var expiresAt: Timestamp

    package init(app: AppID, code: SecretHash, request: TestPairingRequest, expiresAt: Timestamp) {
        self.app = app
        self.code = code
        self.request = request
        self.expiresAt = expiresAt
    }
}

/// A test Device, with its place in the list's order.
package struct ListedTestDevice: Hashable, Sendable {
    package var number: DeviceNumber
    package var device: TestDevice

    package init(number: DeviceNumber, device: TestDevice) {
        self.number = number
        self.device = device
    }
}

/// Stores test Devices, the codes that make some, and how many messages they got.
package protocol TestDeviceStore: Sendable {
    /// Returns test Devices in the order of their numbers.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - number: Only those after this one.
    ///   - limit: The maximum number of Devices.
    /// - Returns: The Devices.
    /// - Throws: ``StoreError``.
    func testDevices(
        of app: AppID,
        after number: DeviceNumber,
        limit: Int
    ) async throws(StoreError) -> [ListedTestDevice]

    /// Makes a Device a test Device, or renames one.
    ///
    /// - Returns: The test Device, or why there is none: the App has no such Device, or the maximum number.
    func add(
        _ request: TestDeviceRequest,
        app: AppID,
        at now: Timestamp
    ) async throws(StoreError) -> Result<TestDevice, EngineError>

    /// - Returns: False when it is no test Device.
    func remove(_ device: DeviceID, app: AppID) async throws(StoreError) -> Bool

    /// Saves a code; those that have ended are removed.
    ///
    /// - Returns: False when there is no such App.
    func insert(_ pairing: NewTestPairing, at now: Timestamp) async throws(StoreError) -> Bool

    /// Uses a code up, and makes the Device that sent it a test Device.
    ///
    /// A wrong code counts against all open codes of the App.
    ///
    /// - Returns: The test Device; or a failure, as for any request of a Device, and when there is no such code.
    func pair(
        _ caller: DeviceCaller,
        code: SecretHash,
        at now: Timestamp
    ) async throws(StoreError) -> Result<TestDevice, EngineError>

    /// Counts messages to test Devices, unless they would be more than `limit` since a time.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - app: The App.
    ///   - limit: The maximum number since `start`, these among them.
    ///   - start: From when on.
    ///   - now: The wall clock.
    /// - Returns: Whether they were counted.
    /// - Throws: ``StoreError``.
    func acquire(
        _ count: Int,
        app: AppID,
        limit: Int,
        since start: Timestamp,
        at now: Timestamp
    ) async throws(StoreError) -> Bool
}
