import CLibpq
import StoreErrors

/// Notifications, for a session that does nothing else.
extension PostgreSQLSession {
    /// Begins to listen; false when that fails.
    func listen(to channel: String) -> Bool { (try? execute(script: "LISTEN \(channel)")) != nil }

    /// Notifies all listeners, including this session; false when the session is unusable.
    func notify(_ notification: String, on channel: String) -> Bool {
        let words = notification.filter { $0.isASCII && $0 != "'" && $0 != "\\" }
        return (try? execute(script: "NOTIFY \(channel), '\(words)'")) != nil
    }

    /// Reads input; false when the session is unusable.
    func consume() -> Bool { !isLost && PQconsumeInput(connection) == 1 }

    /// The notifications of the input that was read.
    func notifications() -> [String] {
        var notifications: [String] = []
        while let notification = PQnotifies(connection) {
            notifications.append(Self.words(notification.pointee.extra))
            PQfreemem(notification)
        }
        return notifications
    }
}
