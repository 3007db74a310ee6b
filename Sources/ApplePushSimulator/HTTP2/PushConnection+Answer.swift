import CNghttp2

extension PushConnection {
    /// Hands the fields and the body of an answer to the library.
    func answer(_ stream: HTTP2Stream, with reply: Reply) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3 + 36 + 36) { text in
            let status = UnsafeMutableBufferPointer(rebasing: text[..<3])
            let id = UnsafeMutableBufferPointer(rebasing: text[3..<39])
            let uniqueID = UnsafeMutableBufferPointer(rebasing: text[39...])
            write(reply.status, to: status)
            withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: 3) { fields in
                fields.initializeElement(at: 0, to: field(":status", UnsafeBufferPointer(status), indexed: true))
                var count = 1
                if let generated = reply.generatedID {
                    generated.write(to: id)
                } else if let own = stream.request[.apnsID] {
                    _ = id.initialize(from: own)
                }
                fields.initializeElement(at: count, to: field("apns-id", UnsafeBufferPointer(id), indexed: false))
                count += 1
                if let unique = reply.uniqueID {
                    unique.write(to: uniqueID)
                    let value = UnsafeBufferPointer(uniqueID)
                    fields.initializeElement(at: count, to: field("apns-unique-id", value, indexed: false))
                    count += 1
                }
                session?.answer(stream, fields: UnsafeBufferPointer(rebasing: fields[..<count]), body: reply.body)
            }
        }
    }

    private func field(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>, indexed: Bool) -> nghttp2_nv {
        nghttp2_nv(
            name: UnsafeMutablePointer(mutating: name.utf8Start),
            value: UnsafeMutablePointer(mutating: value.baseAddress),
            namelen: name.utf8CodeUnitCount,
            valuelen: value.count,
            flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)
                | (indexed ? 0 : UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue))
        )
    }

    private func write(_ status: Int, to text: UnsafeMutableBufferPointer<UInt8>) {
        text[0] = UInt8(ascii: "0") + UInt8(status / 100 % 10)
        text[1] = UInt8(ascii: "0") + UInt8(status / 10 % 10)
        text[2] = UInt8(ascii: "0") + UInt8(status % 10)
    }
}
