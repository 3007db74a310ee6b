public import CarillonModel
import Foundation

extension CarillonClient {
    // MARK: - Groups and places

    /// Sets the groups that this installation is in.
    ///
    /// - Parameter categories: Ids, or labels by dimension; `nil`: `DeviceCategories.standard`.
    /// - Throws: ``CarillonError``; `invalidArgument` for invalid categories; otherwise the change is saved and sent later.
    public func setCategories(_ categories: DeviceCategories?) async throws(CarillonError) {
        try validate(try categories?.validate())
        try await change { $0.categories = categories }
        try await introduce()
    }

    /// Whether the phone's location may be sent; initially ``CarillonConfiguration/reportsLocation``.
    ///
    /// When it is off no location is sent; ``setLocation(_:)`` with `nil` also erases it on the server.
    public var isLocationEnabled: Bool {
        get { locations.isOn }
        set { locations.isOn = newValue }
    }

    /// Sets the phone's location, or erases it on the server.
    ///
    /// - Parameter location: The location; `nil` erases it.
    /// - Returns: Whether it was sent; false, without an effect, when ``isLocationEnabled`` is.
    /// - Throws: ``CarillonError``; `invalidArgument` for invalid coordinates; otherwise the change is saved and sent later.
    @discardableResult
    public func setLocation(_ location: DeviceLocation?) async throws(CarillonError) -> Bool {
        guard location == nil || isLocationEnabled else { return false }
        try validate(try location?.validate())
        try await change { $0.location = location }
        if location != nil { try await introduce() }
        return true
    }

    // MARK: - Calls

    /// Registers PushKit's token.
    ///
    /// The SDK saves it, and sends it again whenever the server may have lost it.
    ///
    /// - Parameter token: The token.
    /// - Returns: The server's record of it.
    /// - Throws: ``CarillonError``; the token is saved and sent later.
    @discardableResult
    public func setVoIPToken(_ token: DeviceToken) async throws(CarillonError) -> VoIPRecord {
        let isSandbox = facts().pushType.isSandbox
        let pushType: PushType = isSandbox ? .apnsVoIPSandbox : .apnsVoIP
        try await calls.setToken(VoIPRegistration(token: token, pushType: pushType))
        try await synchronizeVoIP()
        guard let record = try await calls.record() else { throw .notRegistered }
        return record
    }

    /// Fetches the server's record of the VoIP token.
    ///
    /// - Returns: The record.
    /// - Throws: ``CarillonError``; `notRegistered` when there is no VoIP token.
    public func fetchVoIPRecord() async throws(CarillonError) -> VoIPRecord {
        guard try await calls.token() != nil else { throw .notRegistered }
        do throws(CarillonError) {
            return try await requestAsDevice { await $0.request("GET", "voip", of: $1) }.get(VoIPRecord.self)
        } catch {
            throw error.problem?.code == ProblemCode.unknownVoIPToken ? .notRegistered : error
        }
    }

    /// The VoIP token that the app registered last, with its environment; `nil` when there is none.
    ///
    /// - Throws: ``CarillonError`` when the phone's storage cannot be read.
    public var lastVoIPRegistration: VoIPRegistration? {
        get async throws(CarillonError) { try await calls.token() }
    }

    /// Deletes the VoIP token on the server; the device token stays.
    ///
    /// - Throws: ``CarillonError``; the SDK retries until the server confirms it.
    public func removeVoIPToken() async throws(CarillonError) {
        try await calls.setToken(nil)
        try await synchronizeVoIP()
    }

    private func synchronizeVoIP() async throws(CarillonError) {
        defer { signal.wake() }
        let facts = facts()
        try await withDeadline(of: configuration.deadline, time) { [calls] () throws(CarillonError) in
            try await calls.synchronize(facts, retryNow: true)
        }
    }
}

/// Whether the phone's location may be sent.
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
