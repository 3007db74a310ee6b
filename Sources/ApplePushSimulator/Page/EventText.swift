import NIOCore

/// Server-sent events by the HTML standard (section 9.2, "Server-sent events").
enum EventText {
    /// One event; a client returns its id, if any, in `Last-Event-ID`.
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

    /// A comment that keeps the connection open.
    static let heartbeat = ": still here\n\n"
}
