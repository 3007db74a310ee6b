import CNghttp2

// SETTINGS, whose limit of concurrent streams differs from the library's.
extension HTTP2Session {
    func submitSettings(_ settings: [(nghttp2_settings_id, UInt32)]) {
        let entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: $0.1) }
        nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    }

    func isSettings(_ frame: UnsafeBufferPointer<UInt8>) -> Bool {
        let isAcknowledgement = frame[4] & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        return frame.count > 9 && frame[3] == UInt8(NGHTTP2_SETTINGS.rawValue) && !isAcknowledgement
    }

    func withPatchedSettings(
        _ frame: UnsafeBufferPointer<UInt8>,
        _ write: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        var patched = Array(frame)
        let (headerLength, entryLength) = (9, 6)
        for entry in stride(from: headerLength, to: patched.count - entryLength + 1, by: entryLength)
        where patched[entry] == 0 && patched[entry + 1] == UInt8(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue) {
            for byte in 0..<4 {
                patched[entry + 2 + byte] = UInt8(truncatingIfNeeded: streamLimit >> (24 - 8 * UInt32(byte)))
            }
        }
        patched.withUnsafeBufferPointer(write)
    }
}
