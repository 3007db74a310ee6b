import CNghttp2

/// The C callbacks of libnghttp2, each of which calls its session.
///
/// They run only inside `nghttp2_session_mem_recv` and `nghttp2_session_mem_send`, while the session that called those
/// is alive; so the context is borrowed, not retained.
enum HTTP2Callbacks {
    /// Creates the library's session; callbacks have no receiver before ``bind(_:)``.
    ///
    /// - Parameter holdsWindow: Whether the caller sends WINDOW_UPDATE for bodies.
    /// - Returns: The library's session.
    /// - Throws: ``HTTP2Session/Failure/unavailable``
    static func makeSession(holdsWindow: Bool) throws(HTTP2Session.Failure) -> OpaquePointer {
        let callbacks = try make()
        defer { nghttp2_session_callbacks_del(callbacks) }
        var option: OpaquePointer?
        guard nghttp2_option_new(&option) == 0 else { throw .unavailable }
        defer { nghttp2_option_del(option) }
        // The library would keep closed streams for the priority tree, which Apple does not use.
        nghttp2_option_set_no_closed_streams(option, 1)
        nghttp2_option_set_no_auto_window_update(option, holdsWindow ? 1 : 0)
        var session: OpaquePointer?
        guard nghttp2_session_server_new2(&session, callbacks, nil, option) == 0, let session else {
            throw .unavailable
        }
        return session
    }

    /// Makes a session the receiver of callbacks; it must outlive the library's session.
    static func bind(_ session: HTTP2Session) {
        nghttp2_session_set_user_data(session.session, Unmanaged.passUnretained(session).toOpaque())
    }

    private static func make() throws(HTTP2Session.Failure) -> OpaquePointer? {
        var callbacks: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0 else { throw .unavailable }
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, beginHeaders)
        nghttp2_session_callbacks_set_on_header_callback(callbacks, header)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, dataChunk)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frame)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamClose)
        return callbacks
    }

    /// Provides the body of a response.
    static let readAnswer: nghttp2_data_source_read_callback = { _, id, buffer, length, flags, _, context in
        guard let buffer, let flags, let context else { return 0 }
        var copied = 0
        Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef { session in
            guard let stream = session.stream(id) else { return }
            let part = stream.answer.prefix(length)
            part.withUnsafeBufferPointer { part in
                guard let start = part.baseAddress else { return }
                buffer.update(from: start, count: part.count)
            }
            copied = part.count
            stream.answer = stream.answer.dropFirst(copied)
            if stream.answer.isEmpty {
                flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            }
        }
        return copied
    }

    private static let beginHeaders: nghttp2_on_begin_headers_callback = { _, frame, context in
        guard let frame, let context else { return 0 }
        if frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
            Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef {
                $0.begin(frame.pointee.hd.stream_id)
            }
        }
        return 0
    }

    private static let header: nghttp2_on_header_callback = {
        _,
        frame,
        name,
        nameLength,
        value,
        valueLength,
        _,
        context in
        // Trailers have another category and no meaning here.
        guard let frame, let context, frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
        Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef {
            $0.field(
                of: frame.pointee.hd.stream_id,
                name: UnsafeBufferPointer(start: name, count: nameLength),
                value: UnsafeBufferPointer(start: value, count: valueLength)
            )
        }
        return 0
    }

    private static let dataChunk: nghttp2_on_data_chunk_recv_callback = { _, _, id, bytes, length, context in
        guard let context else { return 0 }
        Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef {
            $0.data(of: id, UnsafeBufferPointer(start: bytes, count: length))
        }
        return 0
    }

    private static let frame: nghttp2_on_frame_recv_callback = { _, frame, context in
        guard let frame, let context else { return 0 }
        let header = frame.pointee.hd
        let isMessage = header.type == NGHTTP2_HEADERS.rawValue || header.type == NGHTTP2_DATA.rawValue
        if isMessage, header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 {
            Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.end(of: header.stream_id) }
        }
        return 0
    }

    private static let streamClose: nghttp2_on_stream_close_callback = { _, id, _, context in
        guard let context else { return 0 }
        Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.close(id) }
        return 0
    }
}
