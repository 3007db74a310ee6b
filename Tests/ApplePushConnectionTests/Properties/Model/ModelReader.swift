import NIOCore
import NIOHPACK

@testable import ApplePushConnection

/// Reads what a connection sends, and holds it against what it may send by a ``ModelView``.
struct ModelReader {
    /// What the connection did and must not do.
    struct Wrong: Error {
        let text: String

        init(_ text: String) { self.text = text }
    }

    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private var hasPreface = false
    private var hasSettings = false
    private(set) var hasGoodbye = false
    /// Frames of its own that the connection has written, apart from requests.
    private(set) var controlFrames = 0

    mutating func read(_ output: ByteBuffer, _ view: inout ModelView) throws(Wrong) {
        var output = output
        if !hasPreface, output.readableBytes > 0 {
            guard output.readString(length: 24) == "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" else { throw Wrong("no preface") }
            hasPreface = true
        }
        while let high = output.readInteger(as: UInt32.self), let flags = output.readInteger(as: UInt8.self),
            let id = output.readInteger(as: UInt32.self), let payload = output.readBytes(length: Int(high >> 8))
        {
            guard !hasGoodbye else { throw Wrong("a frame after GOAWAY") }
            guard payload.count <= view.maximumFrame else { throw Wrong("a frame longer than allowed") }
            switch high & 255 {
            case 0: try readData(flags, id, payload, &view)
            case 1: try readHeaders(flags, id, payload, &view)
            default: try readControl(UInt8(high & 255), flags, id, payload, &view)
            }
        }
        guard output.readableBytes == 0 else { throw Wrong("half a frame") }
    }

    // MARK: - Requests

    private mutating func readHeaders(
        _ flags: UInt8,
        _ id: UInt32,
        _ payload: [UInt8],
        _ view: inout ModelView
    ) throws(Wrong) {
        guard flags == 4 else { throw Wrong("headers with flags \(flags)") }
        guard id == view.nextID else { throw Wrong("stream \(id) instead of \(view.nextID)") }
        guard !view.isDraining, !view.isClosed else { throw Wrong("a new stream on a connection that ends") }
        guard view.open.count < view.streamLimit else { throw Wrong("more streams than allowed") }
        let fields = try fields(payload, &view)
        guard let name = fields.first(where: { $0.name == "apns-id" })?.value, let note = ModelBatch.note(name),
            view.notes.indices.contains(note)
        else { throw Wrong("an unknown apns-id") }
        guard fields.first(where: { $0.name == ":path" })?.value == view.notes[note].path else {
            throw Wrong("bad path")
        }
        guard fields.prefix(4).allSatisfy({ $0.name.hasPrefix(":") }),
            fields.dropFirst(4).allSatisfy({ !$0.name.hasPrefix(":") }),
            fields.contains(where: { $0.name == "apns-topic" })
        else { throw Wrong("bad fields") }
        guard view.notes[note].stream == nil, view.notes[note].expected == nil,
            view.notes[note].streams == view.notes[note].refusals, !view.slices[view.notes[note].slice].isAbandoned
        else { throw Wrong("a notification goes out twice") }
        view.notes[note].streams += 1
        view.notes[note].stream = id
        view.nextID += 2
        view.open[id] = ModelView.Stream(note: note, window: view.initialWindow)
    }

    private mutating func fields(
        _ payload: [UInt8],
        _ view: inout ModelView
    ) throws(Wrong) -> [(name: String, value: String)] {
        if let smallest = view.smallestTable {
            view.smallestTable = nil
            if smallest < view.table {
                guard payload.first.map({ $0 & 0xE0 == 0x20 }) == true else { throw Wrong("no table size update") }
            }
        }
        var buffer = ByteBuffer(bytes: payload)
        do {
            let fields = try decoder.decodeHeaders(from: &buffer).map { ($0.name, $0.value) }
            view.table = Self.tableSize(payload) ?? view.table
            return fields
        } catch {
            throw Wrong("an unreadable header block: \(error)")
        }
    }

    /// The last size update at the beginning of a block (RFC 7541 §6.3).
    private static func tableSize(_ block: [UInt8]) -> Int? {
        var size: Int?
        var rest = block[...]
        while let first = rest.first, first & 0xE0 == 0x20 {
            rest.removeFirst()
            var value = Int(first & 0x1F)
            var shift = 0
            while value >= 31 || shift > 0, let byte = rest.popFirst() {
                value += Int(byte & 0x7F) << shift
                shift += 7
                if byte < 128 { break }
            }
            size = value
        }
        return size
    }

    private func readData(_ flags: UInt8, _ id: UInt32, _ payload: [UInt8], _ view: inout ModelView) throws(Wrong) {
        guard var stream = view.open[id], let note = stream.note, !stream.isWhole else {
            throw Wrong("data on a stream that takes none")
        }
        stream.window -= payload.count
        view.window -= payload.count
        guard stream.window >= 0 || payload.isEmpty else { throw Wrong("more data than the stream's window") }
        guard view.window >= 0 else { throw Wrong("more data than the connection's window") }
        let body = view.notes[note].body
        guard stream.sent + payload.count <= body.count,
            payload == Array(body[stream.sent..<stream.sent + payload.count])
        else { throw Wrong("a wrong body") }
        stream.sent += payload.count
        stream.isWhole = flags & 1 != 0
        guard stream.isWhole == (stream.sent == body.count) else { throw Wrong("a body that ends in the wrong place") }
        view.open[id] = stream
    }

    // MARK: - Control

    private mutating func readControl(
        _ kind: UInt8,
        _ flags: UInt8,
        _ id: UInt32,
        _ payload: [UInt8],
        _ view: inout ModelView
    ) throws(Wrong) {
        controlFrames += 1
        switch (kind, flags, id) {
        case (3, 0, _):
            let code = payload.reduce(0) { $0 << 8 | UInt32($1) }
            if view.mustReset.removeValue(forKey: id) == code { return }
            guard code == 8, view.forgotten.remove(id) != nil else { throw Wrong("an odd reset: \(code)") }
            view.open[id] = nil
        case (4, 0, 0) where !hasSettings: hasSettings = true
        case (4, 1, 0) where payload.isEmpty && view.settingsToAcknowledge > 0: view.settingsToAcknowledge -= 1
        case (6, 0, 0): break
        case (6, 1, 0) where payload == view.pingsToEcho.first: view.pingsToEcho.removeFirst()
        case (7, 0, 0): hasGoodbye = true
        case (8, 0, 0): break
        default: throw Wrong("a frame of kind \(kind), flags \(flags), stream \(id)")
        }
    }
}
