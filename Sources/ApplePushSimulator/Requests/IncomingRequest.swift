import Foundation

/// A request as received: its fields in order, and the relevant part of its body.
///
/// A connection reuses the same values (``reset()`` keeps the memory), and known fields are found by position, so that
/// receiving a request allocates nothing.
package struct IncomingRequest: Sendable {
    /// The range of a field in `bytes`.
    struct Field {
        var name: HeaderName
        var nameStart: Int32
        var valueStart: Int32
        var valueEnd: Int32
    }

    /// Apple's advertised `MAX_HEADER_LIST_SIZE`.
    static let headerListLimit = 8000
    /// The maximum payload of all push types.
    ///
    /// One byte more is stored, to detect larger ones.
    static let bodyLimit = 5120

    private(set) var route = Route.unknown
    /// The decoded device token in the path, when well formed.
    private(set) var deviceToken: [UInt8] = []
    /// The first bytes of the body.
    package private(set) var body: [UInt8] = []
    /// The length of the whole body.
    private(set) var bodyLength = 0
    private(set) var fields: [Field] = []
    private var bytes: [UInt8] = []
    private var positions = SIMD16<Int16>(repeating: -1)
    private var listSize = 0
    /// Whether a field of Apple's is duplicate.
    private(set) var hasDuplicates = false

    package init() {}

    /// Creates a request from fields and a body.
    package init(headers: [(name: String, value: String)], body: [UInt8] = []) {
        for (name, value) in headers {
            let (name, value) = (Array(name.utf8), Array(value.utf8))
            name.withUnsafeBufferPointer { name in
                value.withUnsafeBufferPointer { _ = appendField(name: name, value: $0) }
            }
        }
        body.withUnsafeBufferPointer { appendBody($0) }
    }

    /// The memory for reuse, in bytes.
    var capacity: Int {
        bytes.capacity + body.capacity + deviceToken.capacity + fields.capacity * MemoryLayout<Field>.stride
    }

    /// Removes the request but keeps its memory.
    mutating func reset() {
        route = .unknown
        deviceToken.removeAll(keepingCapacity: true)
        body.removeAll(keepingCapacity: true)
        bodyLength = 0
        fields.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        positions = SIMD16(repeating: -1)
        listSize = 0
        hasDuplicates = false
    }

    /// Appends a header field.
    ///
    /// - Returns: False when the list exceeds ``headerListLimit``; the field is not stored then.
    mutating func appendField(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) -> Bool {
        listSize += name.count + value.count + 32
        guard listSize <= Self.headerListLimit else { return false }
        let known = HeaderName(name)
        let nameStart = Int32(bytes.count)
        if known == .other {
            bytes.append(contentsOf: name)
        } else {
            record(known)
        }
        let valueStart = Int32(bytes.count)
        bytes.append(contentsOf: value)
        fields.append(
            Field(name: known, nameStart: nameStart, valueStart: valueStart, valueEnd: Int32(bytes.count))
        )
        if known == .path {
            readPath(value)
        }
        return true
    }

    /// Appends a part of the body; bytes beyond ``bodyLimit`` + 1 are counted and dropped.
    mutating func appendBody(_ part: UnsafeBufferPointer<UInt8>) {
        bodyLength += part.count
        let room = Self.bodyLimit + 1 - body.count
        body.append(contentsOf: part.prefix(room))
    }

    /// The value of a known field: the first, if duplicate.
    subscript(name: HeaderName) -> ArraySlice<UInt8>? {
        let position = positions[Int(name.rawValue)]
        guard position >= 0 else { return nil }
        let field = fields[Int(position)]
        return bytes[Int(field.valueStart)..<Int(field.valueEnd)]
    }

    /// Whether a known field has this value; without reference counting.
    func isSame(_ name: HeaderName, _ value: [UInt8]) -> Bool {
        let position = positions[Int(name.rawValue)]
        guard position >= 0 else { return false }
        let field = fields[Int(position)]
        let length = Int(field.valueEnd - field.valueStart)
        guard length == value.count else { return false }
        return bytes.withUnsafeBytes { bytes in
            value.withUnsafeBytes { value in
                guard let known = bytes.baseAddress, let wanted = value.baseAddress else { return true }
                return memcmp(known + Int(field.valueStart), wanted, length) == 0
            }
        }
    }

    /// Calls a closure with the value of a known field, if present; without reference counting.
    func withValue<Result>(of name: HeaderName, _ body: (UnsafeBufferPointer<UInt8>) -> Result?) -> Result? {
        let position = positions[Int(name.rawValue)]
        guard position >= 0 else { return nil }
        let field = fields[Int(position)]
        return bytes.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[Int(field.valueStart)..<Int(field.valueEnd)]))
        }
    }

    /// Whether a known field is present.
    func has(_ name: HeaderName) -> Bool {
        positions[Int(name.rawValue)] >= 0
    }

    /// The length of the value of a known field in bytes; 0 when missing.
    func length(of name: HeaderName) -> Int {
        let position = positions[Int(name.rawValue)]
        guard position >= 0 else { return 0 }
        let field = fields[Int(position)]
        return Int(field.valueEnd - field.valueStart)
    }

    /// The bundle identifier in the path of a broadcast or of channels.
    var bundleID: ArraySlice<UInt8> {
        switch route {
        case .unknown, .device: []
        case .broadcast(let range), .channels(let range), .channelList(let range):
            self[.path].map { $0[$0.startIndex + range.lowerBound..<$0.startIndex + range.upperBound] } ?? []
        }
    }

    /// A known field as text; bytes that are not UTF-8 are replaced.
    func text(_ name: HeaderName) -> String? {
        self[name].map { String(decoding: $0, as: UTF8.self) }
    }

    /// All fields in order of arrival, as text; bytes that are not UTF-8 are replaced.
    package var headers: [(name: String, value: String)] {
        fields.map { field in
            let name =
                field.name == .other
                ? String(decoding: bytes[Int(field.nameStart)..<Int(field.valueStart)], as: UTF8.self)
                : "\(field.name.spelling)"
            return (name, String(decoding: bytes[Int(field.valueStart)..<Int(field.valueEnd)], as: UTF8.self))
        }
    }

    // MARK: - Private

    private mutating func record(_ name: HeaderName) {
        if positions[Int(name.rawValue)] < 0 {
            positions[Int(name.rawValue)] = Int16(fields.count)
        } else if name.isApples {
            hasDuplicates = true
        }
    }

    private mutating func readPath(_ path: UnsafeBufferPointer<UInt8>) {
        guard Route.starts(path, with: "/3/device/") else {
            route = Route(path)
            return
        }
        let digits = UnsafeBufferPointer(rebasing: path[10...])
        route = .device(DeviceTokenSyntax(hexadecimal: digits, into: &deviceToken))
    }
}
