import NIOCore

/// Server-sent events, as the HTML standard (section 9.2, "Server-sent events") writes them.
enum EventText {
    /// One event; its id, if it has one, is what a reader gives back in `Last-Event-ID`.
    ///
    /// A line break in the data would end it, so every line gets a field of its own.
    static func event(_ name: String, data: String, id: Int? = nil) -> String {
        var text = "event: \(name)\n"
        if let id { text += "id: \(id)\n" }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            text += "data: \(line)\n"
        }
        return text + "\n"
    }

    /// Keeps the connection from looking dead.
    static let heartbeat = ": still here\n\n"
}
