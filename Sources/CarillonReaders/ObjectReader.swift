package import CarillonModel

/// Reads objects of JSON incrementally: one a line, elements of one array, or elements of an array in an envelope, such
/// as `{"tokens": [{…}, {…}]}`.
///
/// Of each object only the wanted members are held, so that an object of any size takes little memory. A broken object is
/// a problem, and reading goes on with the next one: an object that begins a line ends the one before, unless a value may
/// stand there.
package struct ObjectReader {
    /// What was read.
    package enum Item {
        /// The names of the first object's members and of those of an envelope around it, wanted or not, before the
        /// object itself: they tell whose file it is.
        case names(Set<String>)
        /// The line on which an object begins, from 1, and its wanted members.
        case object(line: Int, members: [String: JSONValue], envelope: String?)
        /// An object that cannot be read: the line on which it begins, and why.
        case problem(line: Int, String)
    }

    /// Maximum bytes of an object's wanted members.
    package static let maximumObjectSize = 1_048_576
    /// Maximum depth of arrays and objects, wanted or not.
    package static let maximumDepth = 512
    private static let maximumNameLength = 256
    private static let maximumNameCount = 512

    private enum Place {
        /// Before, between and after objects.
        case outside
        /// Before a member's name.
        case beforeName
        case name
        case afterName
        case value
        /// The object is refused; what remains of it is passed over.
        case skipping
    }

    /// `nil` wants all members.
    private let wanted: Set<String>?
    private let envelopes: Set<String>

    private var place = Place.outside
    private var line = 1
    private var objectLine = 1
    /// The brackets that are open.
    var open: [UInt8] = []
    /// The brackets that are open around the objects that are read.
    var base = 0
    private var envelope: String?
    /// Whether the object that is open holds arrays of the objects.
    private var isInEnvelope = false
    var isInString = false
    var isEscaped = false
    private var isAfterLineFeed = false
    /// The last byte that is no white space.
    private var lastByte: UInt8 = 0
    private var isWanted = false
    private var name: [UInt8] = []
    private var object: [UInt8] = []
    private var problem: String?
    /// The brackets that are open within what is passed over; their kinds do not matter.
    var skippedDepth = 0
    /// Whether the file has anything but white space.
    private(set) var hasContent = false
    private var firstNames: Set<String> = []
    private var isFirst = true

    /// - Parameters:
    ///   - wanted: The members that are held; `nil` for all.
    ///   - envelopes: The names of arrays whose elements are the objects, inside an object.
    package init(wanted: Set<String>?, envelopes: Set<String> = []) {
        self.wanted = wanted
        self.envelopes = envelopes
    }

    /// Reads the next bytes of the text.
    package mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (Item) throws -> Void) rethrows {
        for byte in bytes { try process(byte, body) }
    }

    /// Reads the end: an object that has not ended is a problem.
    package mutating func finish(_ body: (Item) throws -> Void) rethrows {
        if place != .outside {
            problem = problem ?? "is not a whole JSON object"
            try endObject(body)
        }
        if !open.isEmpty { try body(.problem(line: line, Self.cutOffProblem)) }
    }

    /// The problem of a file whose array has no end, so that an unknown part of it is missing.
    package static let cutOffProblem = "ends before its array does"

    // MARK: - Private

    private mutating func process(_ byte: UInt8, _ body: (Item) throws -> Void) rethrows {
        let beginsLine = isAfterLineFeed
        isAfterLineFeed = byte == 0x0A || (beginsLine && byte == 0x0D)
        if byte == 0x0A { line += 1 }
        let last = lastByte
        if byte != 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { lastByte = byte }
        if byte == UInt8(ascii: "{"), beginsLine, place != .outside, open.count > base || isInString,
            !isNested(after: last)
        {
            problem = problem ?? "is not a whole JSON object"
            try endObject(body)
        }
        switch place {
        case .outside: try processOutside(byte, body)
        case .beforeName: try processBeforeName(byte, body)
        case .name: processName(byte)
        case .afterName: processAfterName(byte)
        case .value: try processValue(byte, body)
        case .skipping: try processSkipped(byte, body)
        }
    }

    /// Whether a brace that begins a line begins a value of the object that is open, as far as the byte before tells.
    ///
    /// In a file of lines only an element of an array does: a line that ends behind a colon is a broken one.
    private func isNested(after last: UInt8) -> Bool {
        let (isElement, isMember) = (
            last == UInt8(ascii: "[") || last == UInt8(ascii: ","), last == UInt8(ascii: ":") && base > 0
        )
        switch place {
        case .value where !isInString: return isMember || (isElement && open.last == UInt8(ascii: "["))
        case .skipping where !isInString && base > 0:
            return isMember || (isElement && (skippedDepth > 0 || open.count > base + 1))
        default: return false
        }
    }

    mutating func processOutside(_ byte: UInt8, _ body: (Item) throws -> Void) rethrows {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","): return
        case UInt8(ascii: "{"):
            objectLine = line
            open.append(byte)
            place = .beforeName
            object = [UInt8(ascii: "{")]
        case UInt8(ascii: "[") where open.isEmpty && !hasContent:
            open.append(byte)
            base = 1
        case UInt8(ascii: "]") where open.count == base && base > 0:
            open.removeLast()
            base = 0
            // In an envelope other members follow the array.
            if !open.isEmpty { place = .beforeName }
            envelope = nil
        default:
            objectLine = line
            problem = "is not a JSON object"
            place = .skipping
            open.append(UInt8(ascii: "?"))
            try processNoObject(byte, body)
        }
        hasContent = true
    }

    private mutating func processBeforeName(_ byte: UInt8, _ body: (Item) throws -> Void) rethrows {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","): break
        case UInt8(ascii: "\""):
            name.removeAll(keepingCapacity: true)
            place = .name
        case UInt8(ascii: "}"):
            try endObject(body)
        default:
            refuse("is not a JSON object")
        }
    }

    private mutating func processName(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            place = .afterName
            return
        }
        guard name.count < Self.maximumNameLength else {
            isInString = true
            return refuse("has a name of more than 256 bytes")
        }
        name.append(byte)
    }

    private mutating func processAfterName(_ byte: UInt8) {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: break
        case UInt8(ascii: ":"):
            if isFirst, firstNames.count < Self.maximumNameCount {
                firstNames.insert(String(decoding: name, as: UTF8.self))
            }
            isWanted =
                !(isInEnvelope && base == 0)
                && (wanted.map { $0.contains(String(decoding: name, as: UTF8.self)) } ?? true)
            place = .value
            guard isWanted else { return }
            guard object.count + name.count < Self.maximumObjectSize else { return refuseAsTooLong() }
            if object.count > 1 { object.append(UInt8(ascii: ",")) }
            object.append(UInt8(ascii: "\""))
            object.append(contentsOf: name)
            object.append(contentsOf: [UInt8(ascii: "\""), UInt8(ascii: ":")])
        default: refuse("is not a JSON object")
        }
    }

    private mutating func processValue(_ byte: UInt8, _ body: (Item) throws -> Void) rethrows {
        let isTop = open.count == base + 1
        if isInString {
            note(inString: byte)
        } else {
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                if byte == UInt8(ascii: "["), isTop, base == 0, isEnvelope { return enterEnvelope() }
                guard open.count < Self.maximumDepth else {
                    refuse("is nested more than \(Self.maximumDepth) deep")
                    skippedDepth = 1
                    return
                }
                open.append(byte)
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if isTop, byte == UInt8(ascii: "}") { return try endObject(body) }
                guard open.last == byte - 2, !isTop else {
                    // What seems to be open within the object is not: the next line may begin another one.
                    open.removeSubrange((base + 1)...)
                    return refuse("has brackets that do not match")
                }
                open.removeLast()
            case UInt8(ascii: ",") where isTop:
                place = .beforeName
                return
            default: break
            }
        }
        guard isWanted else { return }
        guard object.count < Self.maximumObjectSize else { return refuseAsTooLong() }
        object.append(byte)
    }

    /// Whether the array that begins has the objects.
    private var isEnvelope: Bool { envelopes.contains(String(decoding: name, as: UTF8.self)) }

    private mutating func enterEnvelope() {
        envelope = String(decoding: name, as: UTF8.self)
        open.append(UInt8(ascii: "["))
        base = open.count
        place = .outside
        (isInEnvelope, isWanted) = (true, false)
        object.removeAll(keepingCapacity: true)
    }

    private mutating func refuseAsTooLong() {
        refuse("has more than \(Self.maximumObjectSize) bytes that are needed")
    }

    private mutating func refuse(_ text: String) {
        problem = text
        skippedDepth = 0
        place = .skipping
        object.removeAll(keepingCapacity: false)
    }

    mutating func endObject(_ body: (Item) throws -> Void) rethrows {
        let (problem, members) = (self.problem, object)
        let isEnvelopeItself = isInEnvelope && base == 0
        if base == 0 { isInEnvelope = false }
        open.removeSubrange(min(base, open.count)...)
        self.problem = nil
        (isInString, isEscaped, place, skippedDepth) = (false, false, .outside, 0)
        object.removeAll(keepingCapacity: members.count < 65_536)
        if let problem { return try body(.problem(line: objectLine, problem)) }
        guard !isEnvelopeItself else { return }
        if isFirst {
            isFirst = false
            try body(.names(firstNames))
            firstNames = []
        }
        guard let read = try? JSONParser.object(members[...] + [UInt8(ascii: "}")]) else {
            return try body(.problem(line: objectLine, "is not valid JSON"))
        }
        try body(.object(line: objectLine, members: read, envelope: envelope))
    }
}
