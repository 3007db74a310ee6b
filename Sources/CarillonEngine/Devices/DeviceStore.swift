package import CarillonModel
package import CarillonOperatorModel

/// What became of a change.
package enum DeviceAnswer: Hashable, Sendable {
    case created(DeviceRecord)
    case updated(DeviceRecord)
    case refused(EngineError.Refusal)
    case unknown
}

/// What became of a deletion.
package enum DeviceDeletion: Hashable, Sendable {
    case deleted
    case refused
    case unknown
}

/// Keeps Devices and their tokens.
package protocol DeviceStore: Sendable {
    /// Reads the Device, makes the plan and carries it out, in one transaction.
    ///
    /// A token belongs to one Device of an App and push type: a Device that registers another one's token takes it
    /// over, and the other has none any more. An imported Device whose token is taken over was only a place for it and
    /// is removed; what was sent to it counts for the Device that took over.
    func apply(_ change: DeviceChange) async throws(StoreError) -> DeviceAnswer

    /// A Device by its public id; `nil` when there is none.
    func device(app: AppID, device: DeviceID) async throws(StoreError) -> StoredDevice?

    /// Deletes a Device and its tokens. What it did before stays, under numbers that name nobody but to an erasure of
    /// the Users that the Device had.
    ///
    /// - Parameters:
    ///   - app: Whose Device.
    ///   - device: Which.
    ///   - secretHash: What proves that the Device asks; `nil` when somebody asks who may.
    ///   - now: The wall clock.
    /// - Returns: What became of it.
    /// - Throws: ``StoreError``; the Device is still there then.
    func delete(
        app: AppID,
        device: DeviceID,
        secretHash: SecretHash?,
        at now: Timestamp
    ) async throws(StoreError) -> DeviceDeletion

    /// Whose tags, attributes and past go when a Device is forgotten: its User's, when it is the User's last Device or
    /// when all of the User is to be forgotten.
    ///
    /// - Parameters:
    ///   - caller: Which Device.
    ///   - evenIfOthers: Whether all of the User is to be forgotten, whatever other Devices there are.
    /// - Returns: The User, if any; a failure as of any call of a Device.
    /// - Throws: ``StoreError``.
    func forgottenUser(
        _ caller: DeviceCaller,
        evenIfOthers: Bool
    ) async throws(StoreError) -> Result<UserID?, EngineError>

    /// Deletes a Device and its tokens, and a User's tags and attributes, in one transaction.
    ///
    /// - Parameters:
    ///   - caller: Which Device.
    ///   - user: Whose tags and attributes, if anybody's.
    ///   - isPastErased: Whether nothing is kept under the numbers of the User's deleted Devices any more: they go too.
    /// - Returns: A failure as of any call of a Device.
    /// - Throws: ``StoreError``.
    func forget(
        _ caller: DeviceCaller,
        user: UserID?,
        isPastErased: Bool
    ) async throws(StoreError) -> Result<Void, EngineError>

    // MARK: Tokens for calls

    /// Gives a Device a token for calls in the place of the one it had; whoever had the token loses it.
    ///
    /// Where a User has one token, other Devices of the Device's User lose theirs.
    func setVoIPToken(
        _ registration: VoIPRegistration,
        of caller: DeviceCaller,
        tokensPerUser: App.TokensPerUser,
        at: Timestamp
    ) async throws(StoreError) -> Result<VoIPRecord, EngineError>

    /// What became of a Device's token for calls; `nil` when it has none.
    func voIPRecord(of caller: DeviceCaller) async throws(StoreError) -> Result<VoIPRecord?, EngineError>

    /// Takes a Device's token for calls away, if it has one; the one for notifications stays.
    func removeVoIPToken(of caller: DeviceCaller) async throws(StoreError) -> Result<Void, EngineError>
}
