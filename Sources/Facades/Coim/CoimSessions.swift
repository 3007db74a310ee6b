import FacadeSupport
import Foundation

/// The session of the person who is logged in, stored across launches.
///
/// Unchecked: `lock` protects `period` and the order of changes.
final class CoimSessions: @unchecked Sendable {
    /// What is known of the session at an instant.
    struct Snapshot: Sendable {
        let token: String?
        let account: String?
        /// Counts logins and logouts: an answer says nothing of a session that began or ended after its request.
        let period: Int
    }

    /// As it is stored; a token is nobody's business but its server's.
    private struct Stored: Codable {
        let place: String
        var token: String
        var account: String?
    }

    private static let name = "coim.session"
    private let memory: any FacadeStorage
    private let place: String
    private let lock = NSLock()
    private var period = 0

    /// - Parameters:
    ///   - memory: Stores the session.
    ///   - place: Names the server and the app.
    init(_ memory: any FacadeStorage, place: String) {
        self.memory = memory
        self.place = place
    }

    /// The session now.
    ///
    /// - Throws: Any error when the storage cannot be read, as before the phone's first unlock: the person is not a guest
    ///   then.
    func current() throws -> Snapshot {
        lock.lock()
        defer { lock.unlock() }
        let stored = try stored()
        return Snapshot(token: stored?.token, account: stored?.account, period: period)
    }

    /// Ends the session.
    func end() {
        lock.lock()
        defer { lock.unlock() }
        clear()
    }

    /// Changes the session as an answer says.
    ///
    /// - Parameters:
    ///   - token: The answer's token; `nil` changes nothing, and an empty one says that the request's is invalid.
    ///   - request: The session when the request was sent.
    ///   - account: The account that the answer logs in; `nil` for an answer that logs nobody in.
    /// - Returns: Whether the session was found invalid.
    func apply(_ token: String?, of request: Snapshot, login account: String? = nil) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard let token, request.period == period else { return false }
        let stored = try? stored()
        if token.isEmpty {
            // Another answer may have replaced the token that is invalid now.
            guard stored?.token == request.token else { return false }
            clear()
            return true
        }
        if account != nil { period += 1 }
        memory.keep(value: Stored(place: place, token: token, account: account ?? stored?.account), Self.name)
        return false
    }

    private func stored() throws -> Stored? {
        let stored: Stored? = try memory.read(Self.name)
        return stored?.place == place ? stored : nil
    }

    private func clear() {
        period += 1
        memory.keep(value: Stored?.none, Self.name)
    }
}
