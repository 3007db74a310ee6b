import CarillonModel
import CarillonOperatorModel

/// The attributes of Users that a file names.
struct ImportAttributes {
    let store: any AttributeStore
    let app: AppID
    /// Whether nobody else uses the store, so that a transaction may be long.
    let isAlone: Bool

    /// The number of Users of a transaction.
    private var step: Int { isAlone ? 20_000 : 100 }

    /// Sets the attributes of a window's Users, in the order of the file.
    ///
    /// - Parameters:
    ///   - devices: The lines; those whose User would have too many attributes are removed.
    ///   - others: Lines without a Device.
    ///   - refuse: Receives the numbers of lines whose User would have too many.
    /// - Throws: ``EngineError/store(_:)``; Users before the failure have their attributes then.
    func save(
        _ devices: inout [ImportedDevice],
        _ others: [ImportedUser] = [],
        refuse: (Int) -> Void
    ) async throws(EngineError) {
        let merged = Self.merged(devices, others)
        guard !merged.isEmpty else { return }
        var refused: Set<UserID> = []
        let users = merged.keys.sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
        for start in stride(from: 0, to: users.count, by: step) {
            var changes: [UserID: UserAttributes] = [:]
            for user in users[start..<min(start + step, users.count)] { changes[user] = merged[user] }
            let results = try await stored(try await store.apply(changes, app: app, isBulk: true))
            for (user, result) in results { if case .failure = result { refused.insert(user) } }
        }
        guard !refused.isEmpty else { return }
        func isRefused(_ device: ImportedDevice) -> Bool {
            device.attributes != nil && device.registration.user.map(refused.contains) == true
        }
        for device in devices where isRefused(device) { refuse(device.line) }
        for other in others where other.attributes != nil && refused.contains(other.user) { refuse(other.line) }
        devices.removeAll(where: isRefused)
    }

    /// Merges all lines of a User; later lines win.
    private static func merged(
        _ devices: [ImportedDevice],
        _ others: [ImportedUser]
    ) -> [UserID: UserAttributes] {
        var merged: [UserID: UserAttributes] = [:]
        for device in devices {
            guard let user = device.registration.user, let attributes = device.attributes else { continue }
            merged[user, default: UserAttributes(attributes: [:])].attributes
                .merge(attributes.attributes) { _, new in new }
        }
        for other in others {
            guard let attributes = other.attributes else { continue }
            merged[other.user, default: UserAttributes(attributes: [:])].attributes
                .merge(attributes.attributes) { _, new in new }
        }
        return merged
    }
}
