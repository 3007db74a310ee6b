import CarillonModel
import CarillonOperatorModel

/// The tags that a file names: those that the App has, by name or id, and new ones.
struct ImportTags {
    private let store: any TagStore
    private let app: AppID
    private let clock: any WallClock
    private var known: [String: Int64] = [:]

    init(store: any TagStore, app: AppID, clock: any WallClock) {
        self.store = store
        self.app = app
        self.clock = clock
    }

    /// Looks up the tags of Devices, and makes those that the App does not have.
    ///
    /// - Parameters:
    ///   - devices: Get the numbers of their tags.
    ///   - refuse: Takes what has a tag for which the App has no room.
    /// - Throws: ``EngineError/store(_:)``.
    mutating func settle(
        _ devices: inout [ImportedDevice],
        refuse: (ImportedDevice) -> Void
    ) async throws(EngineError) {
        var tried: Set<String> = []
        for device in devices {
            for name in device.tagNames ?? [] where known[name] == nil && tried.insert(name).inserted {
                known[name] = try await number(of: name)
            }
        }
        var kept: [ImportedDevice] = []
        kept.reserveCapacity(devices.count)
        for var device in devices {
            if let names = device.tagNames {
                let numbers = names.compactMap { known[$0] }
                guard numbers.count == names.count else {
                    refuse(device)
                    continue
                }
                device.tags = numbers
            }
            kept.append(device)
        }
        devices = kept
    }

    private func number(of name: String) async throws(EngineError) -> Int64? {
        try await stored { () async throws(StoreError) in
            if let number = try await store.number(named: name, app: app) { return number }
            for _ in 0..<8 {
                guard let id = TagID.random(.system) else { continue }
                let tag = Tag(id: id, name: name, createdAt: clock.now())
                if try await store.insert(tag, app: app, limit: Tags.maximumCount) == .full { return nil }
                if let number = try await store.number(named: name, app: app) { return number }
            }
            return nil
        }
    }
}

extension TagID {
    private static let characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// Eight letters and digits, each as likely as the others: bytes beyond a multiple of 62 are thrown away.
    static func random(_ random: RandomBytes) -> TagID? {
        var text = ""
        while text.utf8.count < length {
            for byte in random(length) where byte < 248 && text.utf8.count < length {
                text.append(characters[Int(byte) % characters.count])
            }
        }
        return TagID(rawValue: text)
    }
}
