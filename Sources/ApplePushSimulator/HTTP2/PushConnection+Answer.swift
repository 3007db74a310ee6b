import CNghttp2

extension PushConnection {
    /// Hands the fields and the body of an answer to the library, which copies the fields.
    func answer(_ stream: HTTP2Stream, with reply: Reply) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3) { status in
            write(reply.status, to: status)
            reply.id.withBytes { id in
                guard let uniqueID = reply.uniqueID else {
                    send([field(":status", status), field("apns-id", id)], reply, on: stream)
                    return
                }
                uniqueID.withBytes { uniqueID in
                    let fields = [field(":status", status), field("apns-id", id), field("apns-unique-id", uniqueID)]
                    send(fields, reply, on: stream)
                }
            }
        }
    }

    private func send(_ fields: [nghttp2_nv], _ reply: Reply, on stream: HTTP2Stream) {
        fields.withUnsafeBufferPointer { session?.answer(stream, fields: $0, body: reply.body) }
    }

    private func field(_ name: StaticString, _ status: UnsafeMutableBufferPointer<UInt8>) -> nghttp2_nv {
        field(name, UnsafeRawBufferPointer(status), flags: NGHTTP2_NV_FLAG_NONE)
    }

    /// A field whose value is never the same twice, so that it is kept out of the table of the compression.
    private func field(_ name: StaticString, _ value: UnsafeRawBufferPointer) -> nghttp2_nv {
        field(name, value, flags: NGHTTP2_NV_FLAG_NO_INDEX)
    }

    private func field(
        _ name: StaticString,
        _ value: UnsafeRawBufferPointer,
        flags: nghttp2_nv_flag
    ) -> nghttp2_nv {
        let start = value.bindMemory(to: UInt8.self).baseAddress
        return nghttp2_nv(
            name: UnsafeMutablePointer(mutating: name.utf8Start),
            value: UnsafeMutablePointer(mutating: start),
            namelen: name.utf8CodeUnitCount,
            valuelen: value.count,
            flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | flags.rawValue)
        )
    }

    private func write(_ status: Int, to text: UnsafeMutableBufferPointer<UInt8>) {
        text[0] = UInt8(ascii: "0") + UInt8(status / 100 % 10)
        text[1] = UInt8(ascii: "0") + UInt8(status / 10 % 10)
        text[2] = UInt8(ascii: "0") + UInt8(status % 10)
    }
}
