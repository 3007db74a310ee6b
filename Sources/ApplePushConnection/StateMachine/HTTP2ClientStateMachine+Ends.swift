import NIOCore

/// How streams, lots and the connection end.
extension HTTP2ClientStateMachine {
    /// Closes the connection; every lot gets its outcomes.
    mutating func close(_ closure: ConnectionClosure, code: ErrorCode?) {
        if case .closed = phase { return }
        if let code { control.writeGoAway(code: code) }
        // First of all, so that nobody answers what comes back with new work for this connection.
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

    /// Ends a stream with an outcome, and its lot if that was the last.
    @inline(__always)
    mutating func finish(_ slot: Int, _ outcome: Outcome) {
        let stream = streams.slots[slot]
        streams.close(slot)
        if !stream.isBodySent { blocked.removeAll { $0 == slot } }
        if stream.status != 0, stream.status != 200 || streams.details[slot].uniqueID != nil {
            streams.details[slot] = StreamTable.Detail()
        }
        guard stream.lot != StreamTable.noLot else {
            orphans -= 1
            return
        }
        let lot = Int(stream.lot)
        if lots.settle(lot, Int(stream.position), outcome) { finishLotIfDone(lot) }
    }

    /// Notes that an answer is complete.
    @inline(__always)
    mutating func noteLatency(_ stream: StreamTable.Stream) {
        latency.count(streams.clock &- stream.openedAt)
    }

    mutating func finishLotIfDone(_ slot: Int) {
        guard lots[slot]?.isFinished == true, let progress = lots.remove(slot) else { return }
        events.append(.finished(progress.lot.id, progress.outcomes))
    }

    /// Ends a lot before all its answers have come.
    mutating func abandon(_ slot: Int, _ failure: Failure) {
        lots[slot]?.giveBackUnsent(failure)
        for index in streams.openSlots where Int(streams.slots[index].lot) == slot {
            let stream = streams.slots[index]
            let outcome: Outcome = stream.mayBeProcessed ? .unknown(failure) : .notSent(failure)
            if resets < Self.resetLimit || !stream.isBodySent {
                resets += 1
                control.writeReset(stream: stream.id, code: .cancel)
                finish(index, outcome)
            } else {
                lots[slot]?.outcomes[Int(stream.position)] = outcome
                lots[slot]?.open -= 1
                streams.slots[index].lot = StreamTable.noLot
                orphans += 1
            }
        }
        finishLotIfDone(slot)
        closeIfDrained()
    }

    /// Frees some of the streams that nobody waits for: left alone they would take new ones' places for ever.
    mutating func resetOrphans() {
        let orphaned = streams.openSlots.filter { streams.slots[$0].lot == StreamTable.noLot }
        for slot in orphaned.prefix(Self.lateResetLimit) {
            control.writeReset(stream: streams.slots[slot].id, code: .cancel)
            finish(slot, .unknown(.cancelled))
        }
    }

    mutating func giveBackUnsent(_ failure: Failure) {
        for slot in lots.used {
            lots[slot]?.giveBackUnsent(failure)
            finishLotIfDone(slot)
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
