package import Foundation

/// One notification from the APNs simulator's feed.
package struct FeedLine: Sendable {
    /// The phone's device token, as hexadecimal text in lower case.
    package var token: String
    package var topic: String
    package var pushType: String?
    package var collapseID: String?
    /// The payload, as JSON.
    package var payload: Data

    /// Reads a line; `nil` when it is invalid, or when the payload was no JSON object.
    package init?(_ line: some Collection<UInt8>) {
        guard let object = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
            let token = object["token"] as? String,
            let payload = object["payload"] as? [String: Any],
            let bytes = try? JSONSerialization.data(withJSONObject: payload)
        else { return nil }
        self.token = token.lowercased()
        topic = object["topic"] as? String ?? ""
        pushType = object["pushType"] as? String
        collapseID = object["collapseID"] as? String
        self.payload = bytes
    }
}

/// Splits a stream of bytes into lines of limited length.
package struct LineSplitter: Sendable {
    /// The longest line; longer ones are skipped.
    package static let maximumLength = 1_048_576

    private var partial: [UInt8] = []
    private var isTooLong = false

    package init() {}

    /// Appends bytes.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The lines that are complete now, without their ends.
    package mutating func split(_ bytes: some Sequence<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in bytes {
            guard byte == 0x0A else {
                if partial.count < Self.maximumLength { partial.append(byte) } else { isTooLong = true }
                continue
            }
            if !isTooLong, !partial.isEmpty { lines.append(partial) }
            partial.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        return lines
    }
}
