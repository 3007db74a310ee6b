#if canImport(UIKit)
package import CarillonModel
import FacadeSupport
import Foundation

/// Whose phone it is, stored across launches: the user that the app sets, the device's own id, and the last consent.
///
/// Unchecked: `lock` protects `chosenUser`.
package final class ToastIdentity: @unchecked Sendable {
    private enum Name {
        static let userID = "toast.userID"
        static let deviceID = "toast.deviceID"
        static let consent = "toast.agreement"
    }

    private let memory: any FacadeStorage
    private let lock = NSLock()
    /// The user that the app has set in this process; the inner `nil`: nobody.
    private var chosenUser: String??

    init(_ memory: any FacadeStorage) {
        self.memory = memory
    }

    /// The user; `nil` for nobody, and while the storage cannot be read.
    package var userID: String? { (try? readUserID()) ?? nil }

    /// The device's own id; empty while the storage cannot be read.
    package var deviceID: String { (try? readDeviceID()) ?? "" }

    /// The last consent; none before the person was asked, and none while the storage cannot be read.
    var consent: Consent {
        get { (try? readConsent()) ?? Consent(notifications: false) }
        set { memory.keep(value: newValue, Name.consent) }
    }

    /// The last consent; none before the person was asked.
    func readConsent() throws -> Consent { try memory.read(Name.consent) ?? Consent(notifications: false) }

    func setDeviceID(_ deviceID: String) { memory.keep(value: deviceID, Name.deviceID) }

    func setUser(_ userID: String?) {
        lock.withLock { chosenUser = .some(userID) }
        memory.keep(value: userID, Name.userID)
    }

    /// The user of the registration: the logged in user, otherwise the device's own id.
    package func registered() throws(ToastPushError) -> UserID {
        let id: String
        do {
            id = try readUserID() ?? readDeviceID()
        } catch {
            // As before the phone's first unlock: it must not be registered under another id.
            throw ToastPushError(.systemFailed, "The phone's storage cannot be read.")
        }
        guard let user = UserID(rawValue: id) else {
            throw ToastPushError(.parameterInvalid, "A user id has 1 through \(UserID.maximumLength) characters.")
        }
        return user
    }

    private func readUserID() throws -> String? {
        if let chosen = lock.withLock({ chosenUser }) { return chosen }
        return try memory.read(Name.userID)
    }

    /// The device's own id, under which it is registered while nobody is logged in; random, never the hardware's.
    private func readDeviceID() throws -> String {
        if let known: String = try memory.read(Name.deviceID) { return known }
        let new = UUID().uuidString.lowercased()
        memory.keep(value: new, Name.deviceID)
        return new
    }
}
#endif
