import ApplePush
import NIOCore

/// Frames about the connection, or about the end of a stream without an answer.
extension HTTP2ClientStateMachine {
    mutating func readReset(_ header: Frame.Header, _ payload: UnsafeRawBufferPointer) throws(Violation) {
        guard header.stream != 0 else { throw Violation(.protocolError, "reset without a stream") }
        guard payload.count == 4 else { throw Violation(.frameSize, "reset of a wrong length") }
        guard !streams.isIdle(header.stream) else { throw Violation(.protocolError, "reset of an idle stream") }
        // Apple resets a refused stream twice; the second reset finds no stream.
        guard let slot = streams.slot(of: header.stream) else { return try hearNoise() }
        let stream = streams.slots[slot]
        let code = ErrorCode(rawValue: payload.unsignedInteger(at: 0))
        if stream.status != 0 {
            // It has answered, and resets the rest of the request (RFC 9113 §8.1).
            finish(slot, Outcome(Answer(status: Int(stream.status), body: streams.details[slot].body)))
        } else if code == .refusedStream {
            resendRefused(slot)
        } else {
            finish(slot, stream.mayBeProcessed ? .unknown(.reset) : .notSent(.reset))
        }
    }

    /// A refused stream was not processed (RFC 9113 §8.7): its notification is sent again.
    private mutating func resendRefused(_ slot: Int) {
        let stream = streams.slots[slot]
        let slice = Int(stream.slice)
        guard case .open = phase, stream.slice != StreamTable.noSlice,
            slices[slice]?.resendRefused(stream.position) == true
        else {
            finish(slot, .notSent(.refused))
            return
        }
        slices.requeue(slice)
        finish(slot, .notSent(.refused))
    }

    mutating func readSettings(_ header: Frame.Header, _ payload: UnsafeRawBufferPointer) throws(Violation) {
        guard header.stream == 0 else { throw Violation(.protocolError, "settings on a stream") }
        try hearNoise()
        if header.has(Frame.Flag.ack) {
            guard payload.isEmpty else { throw Violation(.frameSize, "settings acknowledgement with content") }
            return
        }
        guard payload.count.isMultiple(of: 6) else { throw Violation(.frameSize, "settings of a wrong length") }
        let oldWindow = settings.initialWindow
        for offset in stride(from: 0, to: payload.count, by: 6) {
            let identifier = UInt16(payload[offset]) << 8 | UInt16(payload[offset + 1])
            try settings.apply(identifier, payload.unsignedInteger(at: offset + 2))
            // One by one: the smallest size counts, even if a larger one follows it (RFC 7541 §4.2).
            if identifier == RemoteSettings.headerTableSize { encoder.resizeTable(limit: settings.headerTable) }
        }
        try changeWindows(by: settings.initialWindow - oldWindow)
        hasSettings = true
        control.writeFrameHeader(length: 0, kind: Frame.Kind.settings, flags: Frame.Flag.ack)
    }

    /// A new initial window changes that of every open stream; it may become negative (RFC 9113 §6.9.2).
    private mutating func changeWindows(by difference: Int) throws(Violation) {
        guard difference != 0 else { return }
        for slot in streams.openSlots {
            streams.slots[slot].window += difference
            guard streams.slots[slot].window <= RemoteSettings.largestWindow else {
                throw Violation(.flowControl, "window too large")
            }
        }
    }

    mutating func readPing(_ header: Frame.Header, _ payload: UnsafeRawBufferPointer) throws(Violation) {
        guard header.stream == 0 else { throw Violation(.protocolError, "ping on a stream") }
        guard payload.count == 8 else { throw Violation(.frameSize, "ping of a wrong length") }
        try hearNoise()
        guard !header.has(Frame.Flag.ack) else { return }
        let high = UInt64(payload.unsignedInteger(at: 0))
        control.writePing(high << 32 | UInt64(payload.unsignedInteger(at: 4)), isAck: true)
    }

    /// Streams above the last one named were not processed (RFC 9113 §6.8); the others may still be answered.
    mutating func readGoAway(_ header: Frame.Header, _ payload: UnsafeRawBufferPointer) throws(Violation) {
        guard header.stream == 0 else { throw Violation(.protocolError, "goaway on a stream") }
        guard payload.count >= 8 else { throw Violation(.frameSize, "goaway too short") }
        try hearNoise()
        let last = payload.unsignedInteger(at: 0) & 0x7FFF_FFFF
        let reason = RejectionReason(goAway: payload.dropFirst(8))
        let closure = ConnectionClosure(.goAway, reason: reason, code: payload.unsignedInteger(at: 4))
        if case .draining(let earlier) = phase, earlier.cause != .goAway || reason != nil {
            // This GOAWAY is more informative than our own drain, or a GOAWAY without a reason.
            phase = .draining(closure)
        }
        drain(closure)
        for slot in streams.openSlots where streams.slots[slot].id > last {
            // A request with a partial answer was processed, whatever GOAWAY says.
            finish(slot, streams.slots[slot].status == 0 ? .notSent(.goAway) : .unknown(.goAway))
        }
    }

    mutating func readWindowUpdate(_ header: Frame.Header, _ payload: UnsafeRawBufferPointer) throws(Violation) {
        guard payload.count == 4 else { throw Violation(.frameSize, "window update of a wrong length") }
        try hearNoise()
        let increment = Int(payload.unsignedInteger(at: 0) & 0x7FFF_FFFF)
        if header.stream == 0 {
            guard increment > 0 else { throw Violation(.protocolError, "window update of zero") }
            sendWindow += increment
            guard sendWindow <= RemoteSettings.largestWindow else { throw Violation(.flowControl, "window too large") }
            return
        }
        guard !streams.isIdle(header.stream) else { throw Violation(.protocolError, "window of an idle stream") }
        guard let slot = streams.slot(of: header.stream) else { return }
        if increment == 0 {
            reset(slot, .protocolError)
            return
        }
        streams.slots[slot].window += increment
        if streams.slots[slot].window > RemoteSettings.largestWindow { reset(slot, .flowControl) }
    }
}

extension UnsafeRawBufferPointer {
    /// Reads four bytes in network order; they must be within the buffer.
    func unsignedInteger(at offset: Int) -> UInt32 {
        loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian
    }
}
