import CarillonModel

/// The percent-encoding of a request's path and query (RFC 3986, section 2.1).
enum PercentEncoding {
    /// Checks that each percent sign encodes a byte, and that the bytes are UTF-8.
    ///
    /// - Parameter target: The path and the query as they were sent.
    /// - Throws: 400 naming the part and the position of the first error; never the text, which may name a Device.
    static func check(_ target: String) throws(Problem) {
        guard target.utf8.contains(percent) else { return }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        for (name, part) in zip(["path", "query"], parts) { try check(part.utf8, of: name) }
    }

    // MARK: - Private

    private static let percent = UInt8(ascii: "%")

    private static func check(_ text: Substring.UTF8View, of name: String) throws(Problem) {
        var decoded: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == percent else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                throw Problem.malformedURL(
                    "In the \(name), the percent sign after \(decoded.count) decoded bytes is not followed by two "
                        + "hexadecimal digits; a literal percent sign is %25."
                )
            }
            decoded.append(high << 4 | low)
        }
        guard String(validating: decoded, as: UTF8.self) != nil else {
            throw Problem.malformedURL("The decoded bytes of the \(name) are not UTF-8.")
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
