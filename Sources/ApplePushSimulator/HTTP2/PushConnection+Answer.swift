import CNghttp2

extension PushConnection {
    /// Passes the fields and the body of a response to the library, which copies the fields.
    func answer(_ stream: HTTP2Stream, with reply: Reply) {
        guard let session else { return }
        withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: 5) { fields in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3) { status in
                write(reply.status, to: status)
                fields[0] = field(":status", UnsafeRawBufferPointer(status), flags: NGHTTP2_NV_FLAG_NONE)
                reply.id.withBytes { id in
                    fields[1] = field(reply.isOfChannels ? "apns-request-id" : "apns-id", id)
                    guard reply.uniqueID != nil || reply.rare != nil else {
                        session.answer(stream, fields: UnsafeBufferPointer(rebasing: fields[..<2]), body: reply.body)
                        return
                    }
                    answerMore(stream, with: reply, fields: fields, session)
                }
            }
        }
    }

    /// The same for responses with more than two fields.
    private func answerMore(
        _ stream: HTTP2Stream,
        with reply: Reply,
        fields: UnsafeMutableBufferPointer<nghttp2_nv>,
        _ session: HTTP2Session
    ) {
        var count = 2
        if reply.rare?.namesContentType == true, reply.reason != nil {
            let json: StaticString = "application/json"
            let value = UnsafeRawBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount)
            fields[count] = field("content-type", value, flags: NGHTTP2_NV_FLAG_NONE)
            count += 1
        }
        let channel = Array((reply.rare?.channel ?? "").utf8)
        channel.withUnsafeBytes { channel in
            if !channel.isEmpty {
                fields[count] = field("apns-channel-id", channel)
                count += 1
            }
            guard let uniqueID = reply.uniqueID else {
                session.answer(stream, fields: UnsafeBufferPointer(rebasing: fields[..<count]), body: reply.body)
                return
            }
            uniqueID.withBytes { uniqueID in
                fields[count] = field("apns-unique-id", uniqueID)
                count += 1
                session.answer(stream, fields: UnsafeBufferPointer(rebasing: fields[..<count]), body: reply.body)
            }
        }
    }

    // MARK: - Private

    /// A field whose value is always different, so that it is not added to the HPACK table.
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
