import CLibpq
import StoreErrors

/// Notifications, for a session that does nothing else.
extension PostgreSQLSession {
    /// Begins to listen; false when that cannot be.
    func listen(to channel: String) -> Bool { (try? execute(script: "LISTEN \(channel)")) != nil }

    /// Tells all who listen, this session too; false when the session is of no use any more.
    func notify(_ notification: String, on channel: String) -> Bool {
        let words = notification.filter { $0.isASCII && $0 != "'" && $0 != "\\" }
        return (try? execute(script: "NOTIFY \(channel), '\(words)'")) != nil
    }

    /// Reads what has come; false when the session is of no use any more.
    func consume() -> Bool { !isLost && PQconsumeInput(connection) == 1 }

    /// The notifications that have been read.
    func notifications() -> [String] {
        var notifications: [String] = []
        while let notification = PQnotifies(connection) {
            notifications.append(Self.words(notification.pointee.extra))
            PQfreemem(notification)
        }
        return notifications
    }
}
