import ApplePush
import CarillonBytes
package import NIOCore

extension HTTP2ClientStateMachine {
    /// Writes what may be sent now, until `out` holds about `limit` bytes.
    ///
    /// - Returns: Whether there is more to write at once.
    package mutating func write(into out: inout ByteBuffer, limit: Int) -> Bool {
        if control.readableBytes > 0 {
            out.writeBuffer(&control)
            control.clear()
        }
        switch phase {
        case .idle, .closed: return false
        case .open, .draining: sendBlockedBodies(&out, limit)
        }
        // The buffer is full, not the window: the owner must call again, also when nothing else waits.
        if !blocked.isEmpty, out.readableBytes >= limit { return true }
        while case .open = phase, let slot = slices.queue.first {
            guard slices[slot]?.hasUnsent == true else {
                slices.dequeue()
                continue
            }
            guard streams.count < streamLimit, sendWindow > 0, streams.hasRoom else { break }
            guard out.readableBytes < limit else { return true }
            sendRun(slot, &out, limit)
            rotateIfUsedUp()
        }
        if control.readableBytes > 0 { out.writeBuffer(&control) }
        return false
    }

    /// Sends some of a slice's members, at least one, or returns those that can never be sent.
    private mutating func sendRun(_ slot: Int, _ out: inout ByteBuffer, _ limit: Int) {
        guard let progress = slices[slot] else { return }
        let batch = progress.slice.batch
        encoder.select(batch.headers, progress.slice.token)
        if let position = progress.resend.last {
            slices[slot]?.resend.removeLast()
            send(Int(position)..<Int(position) + 1, of: slot, progress.slice, &out)
            return
        }
        let count = encoder.isSteady ? runLength(progress, batch.payload.bytes.count, limit - out.readableBytes) : 1
        let positions = progress.next..<progress.next + count
        slices[slot]?.next += count
        send(positions, of: slot, progress.slice, &out)
    }

    /// How many members can be sent together with their whole bodies; 1 where flow control allows only a part of one.
    private func runLength(_ progress: SliceProgress, _ bodyLength: Int, _ room: Int) -> Int {
        guard min(settings.initialWindow, settings.maximumFrame) >= bodyLength else { return 1 }
        var count = min(progress.slice.count - progress.next, streamLimit - streams.count, streams.remainingIDs)
        if let most = configuration.maximumRequests { count = min(count, most - requestCount) }
        count = min(count, sendWindow / bodyLength, room / (bodyLength + 128) + 1, 1024)
        return max(count, 1)
    }

    private mutating func send(_ positions: Range<Int>, of slot: Int, _ slice: BatchSlice, _ out: inout ByteBuffer) {
        let bodyLength = slice.batch.payload.bytes.count
        let window = min(sendWindow / positions.count, settings.initialWindow, settings.maximumFrame)
        guard fits(positions, of: slot, slice) else { return }
        if window >= bodyLength {
            sendWindow -= writeRequests(positions, of: slot, slice, &out)
        } else {
            let stream = writeHeadersOnly(positions.lowerBound, of: slot, slice, &out)
            while sendWindow > 0, sendPiece(of: stream, &out) {}
            if !streams.slots[stream].isBodySent { blocked.append(stream) }
        }
        slices[slot]?.open += positions.count
        requestCount += positions.count
        if !encoder.isSteady { encoder.blockWasSent() }
    }

    /// Returns members unsent whose headers exceed the peer's limit.
    private mutating func fits(_ positions: Range<Int>, of slot: Int, _ slice: BatchSlice) -> Bool {
        let digits = 2 * APNsDeviceToken.lengths.upperBound
        let listLimit = min(settings.maximumHeaderList ?? Int.max, settings.maximumFrame)
        guard encoder.listSize + digits > listLimit else { return true }
        let longest = positions.map { slice.batch.tokenLength(at: slice.members[$0]) * 2 }.max() ?? 0
        guard encoder.listSize + longest > listLimit else { return true }
        for position in positions { slices[slot]?.outcomes[position] = .notSent(.headersTooLarge) }
        finishSliceIfDone(slot)
        return false
    }

    /// Writes both frames of each member; the window must suffice.
    ///
    /// - Returns: The total size of the bodies in bytes.
    private mutating func writeRequests(
        _ positions: Range<Int>,
        of slot: Int,
        _ slice: BatchSlice,
        _ out: inout ByteBuffer
    ) -> Int {
        let sharedLength = slice.batch.payload.bytes.count
        let isShared = slice.batch.payloads.isEmpty
        var sum = 0
        let digits = positions.reduce(0) { $0 + 2 * slice.batch.tokenLength(at: slice.members[$1]) }
        slice.batch.withRequestWriter(encoder) { writer in
            out.writeWithUnsafeMutableBytes(minimumWritableBytes: positions.count * writer.fixedSize + digits) {
                target in
                guard let base = target.baseAddress else { return 0 }
                var offset = 0
                for position in positions {
                    let bodyLength = isShared ? sharedLength : slice.batch.bodyLength(at: slice.members[position])
                    sum += bodyLength
                    let (id, _) = streams.open(
                        slice: slot,
                        position: position,
                        window: settings.initialWindow - bodyLength,
                        bodySent: bodyLength,
                        isBodySent: true
                    )
                    offset += writer.write(slice.members[position], stream: id, to: base + offset)
                }
                return offset
            }
        }
        return sum
    }

    /// Opens one stream whose body must wait for flow control, and returns its slot.
    private mutating func writeHeadersOnly(
        _ position: Int,
        of slot: Int,
        _ slice: BatchSlice,
        _ out: inout ByteBuffer
    ) -> Int {
        let (id, stream) = streams.open(
            slice: slot,
            position: position,
            window: settings.initialWindow,
            bodySent: 0,
            isBodySent: false
        )
        slice.batch.withRequestWriter(encoder) { writer in
            out.writeWithUnsafeMutableBytes(
                minimumWritableBytes: writer.fixedSize + 2 * APNsDeviceToken.lengths.upperBound
            ) {
                $0.baseAddress.map { writer.writeHeaders(slice.members[position], stream: id, to: $0) } ?? 0
            }
        }
        return stream
    }

    /// Continues the bodies that wait for flow control, as far as the windows allow.
    private mutating func sendBlockedBodies(_ out: inout ByteBuffer, _ limit: Int) {
        guard !blocked.isEmpty else { return }
        var waiting = CircularBuffer<Int>()
        while let slot = blocked.popFirst() {
            while sendWindow > 0, out.readableBytes < limit, sendPiece(of: slot, &out) {}
            if !streams.slots[slot].isBodySent { waiting.append(slot) }
        }
        blocked = waiting
    }

    /// Sends one DATA frame of a body; `false` when the stream's window is used up or the body is sent.
    private mutating func sendPiece(of slot: Int, _ out: inout ByteBuffer) -> Bool {
        let stream = streams.slots[slot]
        guard let slice = slices[Int(stream.slice)]?.slice, !stream.isBodySent else { return false }
        let length = slice.batch.bodyLength(at: slice.members[Int(stream.position)])
        let sent = Int(stream.bodySent)
        let piece = min(length - sent, stream.window, sendWindow, settings.maximumFrame)
        guard piece > 0 else { return false }
        let isLast = sent + piece == length
        let body = slice.batch.body(at: slice.members[Int(stream.position)])
        out.writeFrameHeader(
            length: piece,
            kind: Frame.Kind.data,
            flags: isLast ? Frame.Flag.endStream : 0,
            stream: stream.id
        )
        out.writeBytes(body[sent..<sent + piece])
        sendWindow -= piece
        streams.slots[slot].window -= piece
        streams.slots[slot].bodySent += Int32(piece)
        streams.slots[slot].isBodySent = isLast
        return !isLast
    }

    /// Gives the connection up when its stream ids or permitted requests are used up.
    private mutating func rotateIfUsedUp() {
        let isUsedUp = streams.remainingIDs == 0 || configuration.maximumRequests.map { requestCount >= $0 } == true
        if isUsedUp { drain(ConnectionClosure(.drained, detail: "carried all it may")) }
    }
}

extension PushBatch {
    /// The size of the token at `index` in bytes.
    @inline(__always)
    func tokenLength(at index: Int) -> Int {
        tokens.range(of: index).count
    }

    /// The size of the payload of the notification at `index` in bytes.
    @inline(__always)
    func bodyLength(at index: Int) -> Int {
        payloads.isEmpty ? payload.bytes.count : payloads.range(of: index).count
    }

    /// The payload of the notification at `index`, with its slot filled in.
    func body(at index: Int) -> [UInt8] {
        guard payloads.isEmpty else { return Array(payloads[index]) }
        guard let slot = payload.slot else { return payload.bytes }
        var bytes = payload.bytes
        bytes.replaceSubrange(slot, with: slots[index * slot.count..<(index + 1) * slot.count])
        return bytes
    }
}
