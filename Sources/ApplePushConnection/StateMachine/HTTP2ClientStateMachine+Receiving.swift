import ApplePush
package import NIOCore

extension HTTP2ClientStateMachine {
    /// Processes received bytes; frames may be split anywhere.
    package mutating func receive(_ bytes: ByteBuffer, at now: NIODeadline) {
        switch phase {
        case .idle, .closed: return
        case .open, .draining: break
        }
        lastHeard = now
        look(at: now)
        pingSent = nil
        var buffer = bytes
        if unread.readableBytes > 0 {
            unread.writeBuffer(&buffer)
            swap(&unread, &buffer)
        }
        let (used, violation) = buffer.withUnsafeReadableBytes { readFrames($0) }
        if let violation {
            let closure = ConnectionClosure(
                .protocolViolation,
                code: violation.code.rawValue,
                detail: violation.detail
            )
            close(closure, code: violation.code)
            return
        }
        closeIfDrained()
        if case .closed = phase { return }
        // A copy, so that a few bytes do not retain the whole buffer.
        unread =
            used == buffer.readableBytes ? ByteBuffer() : ByteBuffer(bytes: buffer.readableBytesView.dropFirst(used))
    }

    /// Reads all complete frames; returns how many bytes they had.
    private mutating func readFrames(_ bytes: UnsafeRawBufferPointer) -> (Int, Violation?) {
        var offset = 0
        do throws(Violation) {
            while bytes.count - offset >= Frame.headerLength {
                let header = Frame.Header(bytes, at: offset)
                guard header.length <= Frame.maximumLength else { throw Violation(.frameSize, "frame too long") }
                let start = offset + Frame.headerLength
                guard bytes.count - start >= header.length else { break }
                try read(header, UnsafeRawBufferPointer(rebasing: bytes[start..<start + header.length]))
                offset = start + header.length
                if case .closed = phase { break }
            }
        } catch {
            return (offset, error)
        }
        return (offset, nil)
    }

    @inline(__always)
    private mutating func read(_ header: Frame.Header, _ payload: UnsafeRawBufferPointer) throws(Violation) {
        if header.kind == Frame.Kind.headers, hasSettings, openBlock == nil {
            try readHeaders(header, payload)
            return
        }
        guard hasSettings || (header.kind == Frame.Kind.settings && !header.has(Frame.Flag.ack)) else {
            throw Violation(.protocolError, "no settings at the beginning")
        }
        if let openBlock, header.kind != Frame.Kind.continuation || header.stream != openBlock.stream {
            throw Violation(.protocolError, "header block interrupted")
        }
        try readRare(header, payload)
    }

    private mutating func readRare(_ header: Frame.Header, _ payload: UnsafeRawBufferPointer) throws(Violation) {
        switch header.kind {
        case Frame.Kind.data: try readData(header, payload)
        case Frame.Kind.headers: try readHeaders(header, payload)
        case Frame.Kind.continuation: try readContinuation(header, payload)
        case Frame.Kind.reset: try readReset(header, payload)
        case Frame.Kind.settings: try readSettings(header, payload)
        case Frame.Kind.ping: try readPing(header, payload)
        case Frame.Kind.goAway: try readGoAway(header, payload)
        case Frame.Kind.windowUpdate: try readWindowUpdate(header, payload)
        case Frame.Kind.pushPromise: throw Violation(.protocolError, "push promise")
        case Frame.Kind.priority:
            guard header.stream != 0 else { throw Violation(.protocolError, "priority without a stream") }
            try hearNoise()
            if payload.count != 5, let slot = streams.slot(of: header.stream) { reset(slot, .frameSize) }
        default: try hearNoise()
        }
    }

    /// Counts a frame without effect.
    mutating func hearNoise() throws(Violation) {
        noise += 1
        guard noise <= Self.noiseLimit else { throw Violation(.enhanceYourCalm, "flood of frames") }
        // A peer that sends requests and does not read must not fill our memory with answers (CVE-2019-9512 and -9515).
        guard control.readableBytes <= Self.controlLimit else {
            throw Violation(.enhanceYourCalm, "frames to answer and no reading")
        }
    }

    /// Limit of such frames between two ticks, apart from two for every answer.
    static var noiseLimit: Int { 10_000 }

    /// Maximum number of pending bytes of control frames.
    static var controlLimit: Int { 128 * 1024 }
}

// MARK: - Answers

extension HTTP2ClientStateMachine {
    @inline(__always)
    private mutating func readHeaders(_ header: Frame.Header, _ payload: UnsafeRawBufferPointer) throws(Violation) {
        var block = payload
        if header.flags & (Frame.Flag.padded | Frame.Flag.priority) != 0 {
            block = try Self.withoutPadding(header, payload)
            if header.has(Frame.Flag.priority) {
                guard block.count >= 5 else { throw Violation(.frameSize, "headers too short") }
                block = UnsafeRawBufferPointer(rebasing: block.dropFirst(5))
            }
        }
        let endsStream = header.has(Frame.Flag.endStream)
        guard header.has(Frame.Flag.endHeaders) else {
            openBlock = OpenBlock(stream: header.stream, endsStream: endsStream, fragments: Array(block))
            return
        }
        try readBlock(block, stream: header.stream, endsStream: endsStream)
    }

    private mutating func readContinuation(
        _ header: Frame.Header,
        _ payload: UnsafeRawBufferPointer
    ) throws(Violation) {
        guard var block = openBlock else { throw Violation(.protocolError, "continuation of nothing") }
        block.fragments.append(contentsOf: payload)
        block.frames += 1
        // Without these bounds a block could be endless (CVE-2024-27316).
        guard block.fragments.count <= AnswerHeaderDecoder.listLimit, block.frames <= 64 else {
            throw Violation(.enhanceYourCalm, "header block too long")
        }
        guard header.has(Frame.Flag.endHeaders) else {
            openBlock = block
            return
        }
        openBlock = nil
        let violation: Violation? = block.fragments.withUnsafeBytes { bytes in
            do throws(Violation) {
                try readBlock(bytes, stream: block.stream, endsStream: block.endsStream)
                return nil
            } catch {
                return error
            }
        }
        if let violation { throw violation }
    }

    /// Handles a complete header block: an answer's head, or its trailers.
    @inline(__always)
    private mutating func readBlock(
        _ block: UnsafeRawBufferPointer,
        stream id: UInt32,
        endsStream: Bool
    ) throws(Violation) {
        // Even a late block must be decoded: it may change the table.
        let head = try decoder.read(block)
        guard let slot = streams.slot(of: id) else {
            guard !streams.isIdle(id) else { throw Violation(.protocolError, "headers on an idle stream") }
            try hearNoise()
            return
        }
        if streams.slots[slot].status != 0 {
            endsStream && head.isTrailers ? complete(slot) : reset(slot, .protocolError)
            return
        }
        guard let status = head.status else {
            reset(slot, .protocolError)
            return
        }
        if status < 200 {
            try hearNoise()
            if endsStream { reset(slot, .protocolError) }
            return
        }
        hasAnswer = true
        streams.slots[slot].status = Int32(truncatingIfNeeded: status)
        if head.uniqueID != nil { streams.details[slot].uniqueID = head.uniqueID }
        if endsStream { complete(slot) }
    }

    private mutating func readData(_ header: Frame.Header, _ payload: UnsafeRawBufferPointer) throws(Violation) {
        guard header.stream != 0 else { throw Violation(.protocolError, "data without a stream") }
        try giveWindow(for: header.length)
        let data = try Self.withoutPadding(header, payload)
        guard let slot = streams.slot(of: header.stream) else {
            guard !streams.isIdle(header.stream) else { throw Violation(.protocolError, "data on an idle stream") }
            try hearNoise()
            return
        }
        guard streams.slots[slot].status != 0 else {
            reset(slot, .protocolError)
            return
        }
        streams.slots[slot].received += Int32(header.length)
        // We never widen a stream's window: no answer is that long.
        guard streams.slots[slot].received <= 65_535 else {
            reset(slot, .flowControl)
            return
        }
        let room = Answer.bodyLimit + 1 - streams.details[slot].body.count
        if streams.slots[slot].status != 200, room > 0 {
            streams.details[slot].body.append(contentsOf: data.prefix(room))
        }
        if header.has(Frame.Flag.endStream) {
            complete(slot)
        } else {
            try hearNoise()
        }
    }

    /// Counts received bytes against the connection's window and widens it when half of it is used.
    private mutating func giveWindow(for length: Int) throws(Violation) {
        receiveWindow -= length
        guard receiveWindow >= 0 else { throw Violation(.flowControl, "more data than the window allows") }
        consumed += length
        guard consumed >= 32_768 else { return }
        control.writeWindowUpdate(stream: 0, increment: consumed)
        receiveWindow += consumed
        consumed = 0
    }

    /// Ends a stream whose answer is complete.
    @inline(__always)
    private mutating func complete(_ slot: Int) {
        let stream = streams.slots[slot]
        recordLatency(stream)
        noise = max(0, noise - 2)
        if !stream.isBodySent { control.writeReset(stream: stream.id, code: .cancel) }
        guard stream.status == 200 else { return refuse(slot, stream) }
        finish(slot, .accepted(uniqueID: streams.details[slot].uniqueID))
    }

    /// Handles a refusal; some make the connection itself unusable.
    private mutating func refuse(_ slot: Int, _ stream: StreamTable.Stream) {
        let answer = Answer(status: Int(stream.status), body: streams.details[slot].body)
        finish(slot, Outcome(answer))
        if case .rejected(let rejection) = answer, rejection.reason.wearsOutConnection {
            drain(ConnectionClosure(.wornOut, reason: rejection.reason))
        }
    }

    /// Ends a stream on which the peer violated the protocol.
    mutating func reset(_ slot: Int, _ code: ErrorCode) {
        let stream = streams.slots[slot]
        control.writeReset(stream: stream.id, code: code)
        finish(slot, stream.mayBeProcessed ? .unknown(.malformedAnswer) : .notSent(.reset))
    }

    /// The payload without its padding (RFC 9113 §6.1).
    private static func withoutPadding(
        _ header: Frame.Header,
        _ payload: UnsafeRawBufferPointer
    ) throws(Violation) -> UnsafeRawBufferPointer {
        guard header.has(Frame.Flag.padded) else { return payload }
        guard let padding = payload.first else { throw Violation(.frameSize, "no pad length") }
        guard Int(padding) < payload.count else { throw Violation(.protocolError, "more padding than payload") }
        return UnsafeRawBufferPointer(rebasing: payload.dropFirst().dropLast(Int(padding)))
    }
}
