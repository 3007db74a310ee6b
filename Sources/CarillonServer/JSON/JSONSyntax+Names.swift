extension JSONSyntax {
    /// The names of an object, compared as their readers compare them: by their decoded text.
    ///
    /// "a" and "\\u0061" are one name, and so are two ways to write "é": Swift's dictionaries store one of them.
    struct Names {
        /// Names in ASCII without escapes; empty once there are others.
        private var plain: Set<ArraySlice<UInt8>> = []
        /// All names, once one of them is not plain.
        private var texts: Set<String>?

        /// Inserts a name.
        ///
        /// - Parameters:
        ///   - name: The text between the quotes; its escapes are valid.
        ///   - isPlain: Whether it is ASCII without escapes.
        /// - Returns: Whether it is new.
        mutating func insert(_ name: ArraySlice<UInt8>, isPlain: Bool) -> Bool {
            if isPlain, texts == nil { return plain.insert(name).inserted }
            if texts == nil {
                texts = Set(plain.map { String(decoding: $0, as: UTF8.self) })
                plain = []
            }
            return texts?.insert(isPlain ? String(decoding: name, as: UTF8.self) : Self.text(name)).inserted == true
        }

        /// The decoded text of a name.
        private static func text(_ name: ArraySlice<UInt8>) -> String {
            var units: [UInt16] = []
            var rest = name
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "\\"), let letter = rest.popFirst() else {
                    let end = rest.firstIndex(of: UInt8(ascii: "\\")) ?? rest.endIndex
                    units += String(decoding: [byte] + rest[..<end], as: UTF8.self).utf16
                    rest = rest[end...]
                    continue
                }
                units.append(letter == UInt8(ascii: "u") ? unit(&rest) : escaped(letter))
            }
            return String(decoding: units, as: UTF16.self)
        }

        /// Four hexadecimal digits.
        private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt16 {
            let digits = rest.prefix(4)
            rest = rest.dropFirst(4)
            return digits.reduce(0) { $0 << 4 | UInt16(JSONSyntax.digit($1) ?? 0) }
        }

        private static func escaped(_ letter: UInt8) -> UInt16 {
            switch letter {
            case UInt8(ascii: "b"): 0x08
            case UInt8(ascii: "f"): 0x0C
            case UInt8(ascii: "n"): 0x0A
            case UInt8(ascii: "r"): 0x0D
            case UInt8(ascii: "t"): 0x09
            default: UInt16(letter)
            }
        }
    }
}
