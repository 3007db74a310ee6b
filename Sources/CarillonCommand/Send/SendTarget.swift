import ApplePushConnection

/// The server of `carillon send`.
enum SendTarget {
    /// Parses `host:port`, `host`, `[address]:port`.
    ///
    /// The result is `nil` for an empty host and for a port outside 1 through 65,535.
    static func endpoint(_ text: String) -> Endpoint? {
        var host = Substring(text)
        var port = 443
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            if !rest.isEmpty {
                guard let number = Int(rest.dropFirst()) else { return nil }
                port = number
            }
        } else if let colon = text.lastIndex(of: ":") {
            host = text[..<colon]
            guard !host.contains(":"), let number = Int(text[text.index(after: colon)...]) else { return nil }
            port = number
        }
        guard !host.isEmpty, (1...65_535).contains(port) else { return nil }
        return Endpoint(host: String(host), port: port)
    }
}
