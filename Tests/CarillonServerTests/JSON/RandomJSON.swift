/// Random JSON that is nearly what a reader expects: the right names with right and wrong values, spaces, repeated and
/// unknown names, escapes, and text that is cut off or changed in one byte.
struct RandomJSON: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }

    mutating func space() -> String { chance(90) ? "" : pick([" ", "\n", "\t", "  \r\n"]) }

    /// An object of some of these fields, each with one of its values, most often the first.
    mutating func object(_ fields: [(name: String, values: [String])], leaving percent: Int = 20) -> String {
        var parts: [String] = []
        for field in fields.shuffled(using: &self) where !chance(percent) {
            parts.append("\"\(field.name)\"\(space()):\(space())\(chance(90) ? field.values[0] : pick(field.values))")
            if chance(1) { parts.append("\"\(field.name)\":\(pick(field.values))") }
        }
        if chance(3) { parts.append("\"unknown\":\(pick(["1", "\"x\"", "{\"a\":[1]}", "null"]))") }
        return "{" + space() + parts.joined(separator: space() + "," + space()) + "}" + space()
    }

    /// The text, sometimes damaged.
    mutating func damaged(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        guard chance(10), !bytes.isEmpty else { return bytes }
        let index = Int.random(in: 0..<bytes.count, using: &self)
        switch Int.random(in: 0..<3, using: &self) {
        case 0: bytes.removeSubrange(index...)
        case 1: bytes.remove(at: index)
        default: bytes[index] = UInt8.random(in: .min ... .max, using: &self)
        }
        return bytes
    }
}
