import CarillonBytes

/// A notification for a phone that a feed follows.
package struct Delivery: Hashable, Sendable {
    /// The device token's bytes.
    var token: [UInt8]
    /// The id in the response to the sender.
    var id: String
    var topic: String
    /// The sender's push type; nil when missing.
    var pushType: String?
    var priority: Int
    var collapseID: String?
    /// The channel of a broadcast, base64.
    var channel: String?
    /// The original body, which need not be JSON.
    var payload: [UInt8]
    /// When the phone received it.
    var at: SimulatedTime
}

extension Delivery {
    /// The delivery as one line of JSON with a line feed.
    ///
    /// The payload is unchanged, except that line breaks between its tokens become spaces. A body that is not a JSON
    /// object gives `"payload":null`.
    var line: [UInt8] {
        var line = Array(#"{"token":"\#(Hexadecimal.encode(token))","id":"\#(id)","topic":"\#(topic)""#.utf8)
        if let channel {
            line += Array(#","channel":"\#(channel)""#.utf8)
        }
        line += Array(#","pushType":\#(Self.text(pushType)),"priority":\#(priority)"#.utf8)
        line += Array(#","collapseID":\#(Self.text(collapseID)),"payload":"#.utf8)
        if PayloadSummary(of: payload).isObject, String(validating: payload, as: UTF8.self) != nil {
            line += payload.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
        } else {
            line += Array("null".utf8)
        }
        line += Array(#","at":\#(at.milliseconds)}"#.utf8)
        line.append(0x0A)
        return line
    }

    private static func text(_ value: String?) -> String {
        value.map(JSONText.quoted) ?? "null"
    }
}

/// Writes JSON without an encoder, whose cost would matter here.
enum JSONText {
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{0}"..<"\u{20}": quoted += "\\u00" + Hexadecimal.encode([UInt8(scalar.value)])
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
