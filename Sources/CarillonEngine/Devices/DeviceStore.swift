package import CarillonModel
package import CarillonOperatorModel

/// The result of a change.
package enum DeviceAnswer: Hashable, Sendable {
    case created(DeviceRecord)
    case updated(DeviceRecord)
    case refused(EngineError.Refusal)
    case unknown
}

/// The result of a deletion.
package enum DeviceDeletion: Hashable, Sendable {
    case deleted
    case refused
    case unknown
}

/// Stores Devices and their tokens.
package protocol DeviceStore: Sendable {
    /// Reads the Device, makes the plan and applies it, in one transaction.
    ///
    /// A token belongs to one Device of an App and push type: a Device that registers another Device's token takes it
    /// over, and the other one has no token any more. An imported Device whose token is taken over was a placeholder
    /// and is removed; its deliveries count for the Device that took over.
    func apply(_ change: DeviceChange) async throws(StoreError) -> DeviceAnswer

    /// Returns a Device by its public id; `nil` when there is none.
    func device(app: AppID, device: DeviceID) async throws(StoreError) -> StoredDevice?

    /// Returns Devices in the order of their numbers.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - user: Only those of this User; `nil` for all.
    ///   - after: Only those after this number.
    ///   - limit: The maximum number of Devices.
    /// - Returns: The Devices.
    /// - Throws: ``StoreError``.
    func devices(
        app: AppID,
        user: UserID?,
        after: DeviceNumber,
        limit: Int
    ) async throws(StoreError) -> [ListedDevice]

    /// Deletes a Device and its tokens.
    ///
    /// Its deliveries and events stay under its number, which afterwards only the erasure of one of its former Users
    /// can find.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - device: The Device.
    ///   - secretHash: The hash of the Device's secret; `nil` when the caller is authorized otherwise.
    ///   - now: The wall clock.
    /// - Returns: The result.
    /// - Throws: ``StoreError``; the Device is still there then.
    func delete(
        app: AppID,
        device: DeviceID,
        secretHash: SecretHash?,
        at now: Timestamp
    ) async throws(StoreError) -> DeviceDeletion

    /// Returns the User whose tags, attributes and history are erased with a Device: when it is the User's last Device,
    /// or when the whole User is to be erased.
    ///
    /// - Parameters:
    ///   - caller: The Device.
    ///   - evenIfOthers: Whether the whole User is to be erased, despite other Devices.
    /// - Returns: The User, if any; or a failure, as for any request of a Device.
    /// - Throws: ``StoreError``.
    func forgottenUser(
        _ caller: DeviceCaller,
        evenIfOthers: Bool
    ) async throws(StoreError) -> Result<UserID?, EngineError>

    /// Deletes a Device and its tokens, and a User's tags and attributes, in one transaction.
    ///
    /// - Parameters:
    ///   - caller: The Device.
    ///   - user: The User whose tags and attributes are deleted, if any.
    ///   - isPastErased: Whether the history of the User's deleted Devices is erased; their numbers are deleted too
    ///     then.
    ///   - now: The time.
    /// - Returns: A failure, as for any request of a Device.
    /// - Throws: ``StoreError``.
    func forget(
        _ caller: DeviceCaller,
        user: UserID?,
        isPastErased: Bool,
        at now: Timestamp
    ) async throws(StoreError) -> Result<Void, EngineError>

    // MARK: VoIP tokens

    /// Replaces a Device's VoIP token; another Device with the same token loses it.
    ///
    /// Where a User has one token only, the User's other Devices lose theirs.
    func setVoIPToken(
        _ registration: VoIPRegistration,
        of caller: DeviceCaller,
        tokensPerUser: App.TokensPerUser,
        at: Timestamp
    ) async throws(StoreError) -> Result<VoIPRecord, EngineError>

    /// Returns the record of a Device's VoIP token; `nil` when it has none.
    func voIPRecord(of caller: DeviceCaller) async throws(StoreError) -> Result<VoIPRecord?, EngineError>

    /// Removes a Device's VoIP token, if it has one; the device token stays.
    func removeVoIPToken(of caller: DeviceCaller) async throws(StoreError) -> Result<Void, EngineError>

    // MARK: Tokens

    /// Returns the active tokens of this value and tenant, of all push types.
    func tokens(app: AppID, _ token: DeviceToken, tenant: String?) async throws(StoreError) -> [RegisteredToken]

    /// Returns the active tokens of a User, in the order of their Devices' numbers; of at most 1,000 Devices.
    func tokens(app: AppID, of user: UserID) async throws(StoreError) -> [RegisteredToken]

    /// Returns the active tokens of a Device.
    func tokens(app: AppID, of device: DeviceID) async throws(StoreError) -> [RegisteredToken]

    /// Returns active tokens of all Users, ordered by the bytes of the User's id and the Device's number.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - position: Only those after this one; when its token is not there any more, from the first of its User on.
    ///   - limit: The maximum number of tokens.
    /// - Returns: The tokens.
    /// - Throws: ``StoreError``.
    func tokens(
        app: AppID,
        after position: TokenPosition?,
        limit: Int
    ) async throws(StoreError) -> [RegisteredToken]

    /// Removes a token, and a Device that has no secret and no other token.
    ///
    /// - Parameters:
    ///   - removal: Which token, and who asks.
    ///   - now: The wall clock.
    /// - Returns: The result; nothing is removed when a Device with a secret has the token and the caller may not.
    /// - Throws: ``StoreError``.
    func removeToken(_ removal: TokenRemoval, at now: Timestamp) async throws(StoreError) -> DeviceDeletion
}
