import NIOCore

/// Ends of streams, slices and the connection.
extension HTTP2ClientStateMachine {
    /// Closes the connection; every slice gets its outcomes.
    mutating func close(_ closure: ConnectionClosure, code: ErrorCode?) {
        if case .closed = phase { return }
        if let code { control.writeGoAway(code: code) }
        // First, so that the owner does not give this connection new work for the returned one.
        if case .open = phase { events.append(.draining(closure)) }
        phase = .closed
        for slot in streams.openSlots {
            let stream = streams.slots[slot]
            finish(slot, stream.mayBeProcessed ? .unknown(.connectionLost) : .notSent(.connectionLost))
        }
        giveBackUnsent(.connectionLost)
        blocked.removeAll()
        unread = ByteBuffer()
        openBlock = nil
        events.append(.closed(closure))
    }

    mutating func closeIfDrained() {
        if case .draining(let closure) = phase, streams.count == orphans { close(closure, code: ErrorCode.none) }
    }

    /// Ends a stream with an outcome, and its slice if that was the last.
    @inline(__always)
    mutating func finish(_ slot: Int, _ outcome: Outcome) {
        let stream = streams.slots[slot]
        streams.close(slot)
        if !stream.isBodySent { blocked.removeAll { $0 == slot } }
        if stream.status != 0, stream.status != 200 || streams.details[slot].uniqueID != nil {
            streams.details[slot] = StreamTable.Detail()
        }
        guard stream.slice != StreamTable.noSlice else {
            orphans -= 1
            return
        }
        let slice = Int(stream.slice)
        if slices.complete(slice, Int(stream.position), outcome) { finishSliceIfDone(slice) }
    }

    /// Records that an answer is complete.
    @inline(__always)
    mutating func recordLatency(_ stream: StreamTable.Stream) {
        latency.count(streams.clock &- stream.openedAt)
    }

    mutating func finishSliceIfDone(_ slot: Int) {
        guard slices[slot]?.isFinished == true, let progress = slices.remove(slot) else { return }
        events.append(.finished(progress.slice.id, progress.outcomes))
    }

    /// Ends a slice before all its answers have arrived.
    mutating func abandon(_ slot: Int, _ failure: Failure) {
        slices[slot]?.giveBackUnsent(failure)
        for index in streams.openSlots where Int(streams.slots[index].slice) == slot {
            let stream = streams.slots[index]
            let outcome: Outcome = stream.mayBeProcessed ? .unknown(failure) : .notSent(failure)
            if resets < Self.resetLimit || !stream.isBodySent {
                resets += 1
                control.writeReset(stream: stream.id, code: .cancel)
                finish(index, outcome)
            } else {
                slices[slot]?.outcomes[Int(stream.position)] = outcome
                slices[slot]?.open -= 1
                streams.slots[index].slice = StreamTable.noSlice
                orphans += 1
            }
        }
        finishSliceIfDone(slot)
        closeIfDrained()
    }

    /// Resets some of the streams that nobody waits for: otherwise they would occupy the places of new ones for ever.
    mutating func resetOrphans() {
        let orphaned = streams.openSlots.filter { streams.slots[$0].slice == StreamTable.noSlice }
        for slot in orphaned.prefix(Self.lateResetLimit) {
            control.writeReset(stream: streams.slots[slot].id, code: .cancel)
            finish(slot, .unknown(.cancelled))
        }
    }

    mutating func giveBackUnsent(_ failure: Failure) {
        for slot in slices.used {
            slices[slot]?.giveBackUnsent(failure)
            finishSliceIfDone(slot)
        }
    }

    mutating func checkSilence(_ now: NIODeadline) {
        if let pingSent {
            guard now - pingSent >= configuration.pingTimeout else { return }
            close(ConnectionClosure(.unresponsive, detail: "no answer to a ping"), code: ErrorCode.none)
            return
        }
        let patience = streams.count > 0 ? configuration.silence : configuration.idlePing
        guard now - lastHeard >= patience else { return }
        pingSent = now
        control.writePing(0x6361_7269_6C6C_6F6E, isAck: false)
    }
}
