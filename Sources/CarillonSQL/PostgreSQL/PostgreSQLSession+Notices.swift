import CLibpq
import StoreErrors

/// Notices, for a session that does nothing else.
extension PostgreSQLSession {
    /// Begins to listen; false when that cannot be.
    func listen(to channel: String) -> Bool { (try? execute(script: "LISTEN \(channel)")) != nil }

    /// Tells all who listen, this session too; false when the session is of no use any more.
    func tell(_ notice: String, on channel: String) -> Bool {
        let words = notice.filter { $0.isASCII && $0 != "'" && $0 != "\\" }
        return (try? execute(script: "NOTIFY \(channel), '\(words)'")) != nil
    }

    /// Reads what has come; false when the session is of no use any more.
    func consume() -> Bool { !isLost && PQconsumeInput(connection) == 1 }

    /// The notices that have been read.
    func notices() -> [String] {
        var notices: [String] = []
        while let notice = PQnotifies(connection) {
            notices.append(Self.words(notice.pointee.extra))
            PQfreemem(notice)
        }
        return notices
    }
}
