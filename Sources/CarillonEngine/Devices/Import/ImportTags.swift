import CarillonModel
import CarillonOperatorModel

/// The tags that a file names: existing ones, by name or id, and new ones.
struct ImportTags {
    private let store: any TagStore
    private let app: AppID
    private let clock: any WallClock
    private var known: [String: Int64] = [:]
    /// The number of tags of a request.
    private static let step = 256

    init(store: any TagStore, app: AppID, clock: any WallClock) {
        self.store = store
        self.app = app
        self.clock = clock
    }

    /// Looks up the tags of Devices, and creates missing ones.
    ///
    /// - Parameters:
    ///   - devices: The lines, which receive the numbers of their tags.
    ///   - refuse: Receives lines with a tag that exceeds the App's limit.
    /// - Throws: ``EngineError/store(_:)``.
    mutating func resolve(
        _ devices: inout [ImportedDevice],
        refuse: (ImportedDevice) -> Void
    ) async throws(EngineError) {
        try await lookUp(newNames(of: devices.compactMap(\.tagNames)))
        var refused: Set<Int> = []
        for place in devices.indices {
            guard let names = devices[place].tagNames else { continue }
            let numbers = names.compactMap { known[$0] }
            guard numbers.count == names.count else {
                refused.insert(place)
                refuse(devices[place])
                continue
            }
            devices[place].tags = numbers
            devices[place].tagNames = nil
        }
        guard !refused.isEmpty else { return }
        devices = devices.indices.filter { !refused.contains($0) }.map { devices[$0] }
    }

    /// Looks up the tags of Users without Devices in the file, and creates missing ones.
    ///
    /// - Returns: The store's numbers of each User's tags; those of a tag that exceeds the App's limit are missing.
    mutating func resolve(_ users: [ImportedUser]) async throws(EngineError) -> [UserID: [Int64]] {
        try await lookUp(newNames(of: users.map(\.tagNames)))
        var numbers: [UserID: [Int64]] = [:]
        for user in users where !user.tagNames.isEmpty {
            numbers[user.user, default: []] += user.tagNames.compactMap { known[$0] }
        }
        return numbers
    }

    private func newNames(of lines: [[String]]) -> [String] {
        var met: Set<String> = []
        var names: [String] = []
        for line in lines {
            for name in line where known[name] == nil && met.insert(name).inserted {
                names.append(name)
            }
        }
        return names
    }

    /// Looks up many at a time, so that new ones share transactions.
    private mutating func lookUp(_ names: [String]) async throws(EngineError) {
        for start in stride(from: 0, to: names.count, by: Self.step) {
            let some = names[start..<min(start + Self.step, names.count)]
            let tasks = some.map { [self] name in
                Task { () async -> Result<Int64?, EngineError> in
                    do throws(EngineError) { return .success(try await stored(try await number(of: name))) } catch {
                        return .failure(error)
                    }
                }
            }
            for (name, task) in zip(some, tasks) { known[name] = try await task.value.get() }
        }
    }

    private func number(of name: String) async throws(StoreError) -> Int64? {
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

extension TagID {
    private static let characters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// Eight letters and digits with uniform probability: bytes beyond a multiple of 62 are discarded.
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
