package import CarillonModel

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

    /// Forgets a Device and its tokens. What it did before still counts.
    ///
    /// - Parameters:
    ///   - app: Whose Device.
    ///   - device: Which.
    ///   - secretHash: What proves that the Device asks; `nil` when somebody asks who may.
    /// - Returns: What became of it.
    /// - Throws: ``StoreError``; the Device is still there then.
    func delete(
        app: AppID,
        device: DeviceID,
        secretHash: SecretHash?
    ) async throws(StoreError) -> DeviceDeletion
}
