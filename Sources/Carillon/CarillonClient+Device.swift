public import CarillonModel
import Foundation

extension CarillonClient {
    // MARK: - Groups and places

    /// Tells which groups this installation is in.
    ///
    /// - Parameter categories: Ids, or labels by dimension; `nil`: `DeviceCategories.standard` again.
    /// - Throws: ``CarillonError``; `invalidArgument` for what cannot be; otherwise the change is kept and sent later.
    public func setCategories(_ categories: DeviceCategories?) async throws(CarillonError) {
        let categories = try categories.map(Checked.value)
        try await change { $0.categories = categories }
        try await introduce()
    }

    /// Whether the phone's place may be told at all; at first what the configuration says.
    ///
    /// Switching it off stops telling; ``setLocation(_:)`` with `nil` also has the server forget.
    public var isLocationEnabled: Bool {
        get { locations.isOn }
        set { locations.isOn = newValue }
    }

    /// Tells where the phone is, or that the server is to forget it.
    ///
    /// - Parameter location: The place; `nil` has the server forget.
    /// - Returns: Whether it was told; false when it is not enabled, and then nothing happens.
    /// - Throws: ``CarillonError``; `invalidArgument` for no place on earth; otherwise the change is kept and sent later.
    @discardableResult
    public func setLocation(_ location: DeviceLocation?) async throws(CarillonError) -> Bool {
        guard location == nil || isLocationEnabled else { return false }
        let location = try location.map(Checked.value)
        try await change { $0.location = location }
        if location != nil { try await introduce() }
        return true
    }

    // MARK: - Calls

    /// Tells the token that PushKit gave the app.
    ///
    /// It is kept and told by itself whenever the server may have lost it.
    ///
    /// - Parameter token: The token.
    /// - Returns: What the server knows of it.
    /// - Throws: ``CarillonError``; the token is kept and sent later.
    @discardableResult
    public func setVoIPToken(_ token: DeviceToken) async throws(CarillonError) -> VoIPRecord {
        let isSandbox = facts().pushType.isSandbox
        let pushType: PushType = isSandbox ? .apnsVoIPSandbox : .apnsVoIP
        try await calls.want(VoIPRegistration(token: token, pushType: pushType))
        try await synchronizeVoIP()
        guard let record = try await calls.record() else { throw .notRegistered }
        return record
    }

    /// Asks the server what it knows of the token for calls.
    ///
    /// - Returns: What it knows.
    /// - Throws: ``CarillonError``; `notRegistered` when there is no such token.
    public func voIPRegistration() async throws(CarillonError) -> VoIPRecord {
        guard try await calls.wanted() != nil else { throw .notRegistered }
        do throws(CarillonError) {
            return try await asDevice { await $0.ask("GET", "voip", of: $1) }
        } catch {
            throw error.problem?.code == ProblemCode.unknownCallToken ? .notRegistered : error
        }
    }

    /// The token for calls that was registered last, from the phone's own memory.
    ///
    /// - Returns: The token and its environment; `nil` when there is none.
    /// - Throws: ``CarillonError`` when the memory cannot be read.
    public func lastVoIPToken() async throws(CarillonError) -> VoIPRegistration? { try await calls.wanted() }

    /// Asks the server to forget the token for calls; the one for notifications stays.
    ///
    /// - Throws: ``CarillonError``; it is tried again until the server has forgotten.
    public func removeVoIPToken() async throws(CarillonError) {
        try await calls.want(nil)
        try await synchronizeVoIP()
    }

    private func synchronizeVoIP() async throws(CarillonError) {
        defer { signal.wake() }
        let facts = facts()
        try await withDeadline(of: configuration.deadline, time) { [calls] () throws(CarillonError) in
            try await calls.synchronize(facts, hurry: true)
        }
    }
}

/// Whether the phone's place may be told.
///
/// Unchecked: `lock` protects it.
final class LocationSwitch: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Bool

    init(_ value: Bool) { self.value = value }

    var isOn: Bool {
        get {
            lock.lock()
            defer { lock.unlock() }
            return value
        }
        set {
            lock.lock()
            defer { lock.unlock() }
            value = newValue
        }
    }
}
