import NIOCore

@testable import ApplePush
@testable import ApplePushConnection

extension ModelRun {
    // MARK: - Bytes

    mutating func deliverAll() throws(Wrong) {
        try deliver(upTo: pipe.count)
    }

    mutating func deliver(upTo count: Int) throws(Wrong) {
        let bytes = Array(pipe.prefix(count))
        pipe.removeFirst(bytes.count)
        try deliver(bytes)
    }

    mutating func deliver(_ bytes: [UInt8]) throws(Wrong) {
        guard !bytes.isEmpty, closure == nil else { return }
        lastDelivery = now
        machine.receive(ByteBuffer(bytes: bytes), at: now)
        view.deliver(bytes)
        try exchange()
    }

    /// Takes what the connection has to say, and looks whether all is as it must be.
    ///
    /// What the connection gives up must be written: the view knows of it from nothing else.
    mutating func exchange(mustWrite: Bool = false) throws(Wrong) {
        // Before anything is written, for the owner hears of an end only now.
        try hear()
        if isWritable || mustWrite {
            var output = ByteBuffer()
            var rounds = 0
            while machine.write(into: &output, limit: output.readableBytes + 2000) {
                rounds += 1
                guard rounds < 100_000 else { throw Wrong("writing without end") }
            }
            try reader.read(output, &view)
        }
        try hear()
        try checkBounds()
        if closure == nil {
            try checkProgress()
        } else if isWritable, !isGivenUp {
            guard view.mustReset.isEmpty || closure?.cause == .lost else { throw Wrong("a broken stream is not reset") }
        }
    }

    // MARK: - Events

    private mutating func hear() throws(Wrong) {
        let events = machine.takeEvents()
        // A flood ends the connection in the middle of what the view has read to its end.
        isGivenUp =
            isGivenUp
            || events.contains { if case .closed(let end) = $0 { end.code == 11 && mayBeFlood } else { false } }
        for event in events {
            switch event {
            case .finished(let slice, let outcomes): try finish(slice.rawValue, outcomes)
            case .draining:
                guard closure == nil else { throw Wrong("draining after the end") }
                drainings += 1
                view.isDraining = true
            case .closed(let closure): try close(closure)
            }
        }
        if let fatal = view.fatal, closure?.cause != .protocolViolation || closure?.code != fatal {
            guard isGivenUp else { throw Wrong("rule \(fatal) is broken and the end is \(end)") }
        }
    }

    private var end: String { closure.map { "\($0.cause.rawValue) \($0.code ?? 0) \($0.detail)" } ?? "none" }

    private mutating func close(_ closure: ConnectionClosure) throws(Wrong) {
        guard self.closure == nil else { throw Wrong("closed twice") }
        self.closure = closure
        switch closure.cause {
        case .protocolViolation where isGivenUp: break
        case .protocolViolation where view.fatal == closure.code: break
        case .unresponsive where now - lastDelivery >= machine.configuration.pingTimeout: break
        case .lost where hasDisconnected: break
        case .drained, .goAway, .wornOut:
            guard view.isDraining, hasDisconnected || view.open.values.allSatisfy({ $0.note == nil }) else {
                throw Wrong("closed although answers are awaited")
            }
        default: throw Wrong("closed for no reason: \(end)")
        }
        view.close()
    }

    /// Whether so much has come since the last tick that the connection may be given up for it.
    private var mayBeFlood: Bool { view.frames >= 7000 || !isWritable }

    private mutating func finish(_ slice: Int, _ outcomes: [Outcome]) throws(Wrong) {
        guard view.slices.indices.contains(slice), !view.slices[slice].isFinished else {
            throw Wrong("a slice ends twice")
        }
        view.slices[slice].isFinished = true
        // An end takes its streams along before it is told.
        if case .closed = machine.phase, !view.isClosed { view.close() }
        let notes = view.slices[slice].notes
        guard outcomes.count == notes.count else { throw Wrong("\(outcomes.count) outcomes for \(notes.count)") }
        for (index, outcome) in zip(notes, outcomes) {
            let note = view.notes[index]
            if isGivenUp, outcome == .unknown(.connectionLost) || outcome == .notSent(.connectionLost) { continue }
            if let expected = note.expected {
                guard outcome == expected else { throw Wrong("\(outcome) instead of \(expected)") }
            } else {
                guard note.stream == nil, case .notSent = outcome else { throw Wrong("\(outcome) for one not sent") }
            }
        }
    }

    // MARK: - States

    /// Nothing that may be sent waits, and nothing that is decided is kept back.
    private func checkProgress() throws(Wrong) {
        for (index, slice) in view.slices.enumerated() where !slice.isFinished {
            guard view.notes[slice.notes].contains(where: { $0.expected == nil }) else {
                throw Wrong("slice \(index) is done and not told")
            }
        }
        if view.isDraining {
            guard view.open.values.contains(where: { $0.note != nil }) else { throw Wrong("drained and not closed") }
        }
        guard isWritable else { return }
        guard view.mustReset.isEmpty else { throw Wrong("a broken stream is not reset") }
        guard view.settingsToAcknowledge == 0, view.pingsToEcho.isEmpty else { throw Wrong("no acknowledgement") }
        guard view.window > 0, case .open = machine.phase else { return }
        for stream in view.open.values where !stream.isWhole && stream.window > 0 && stream.note != nil {
            throw Wrong("a body waits although the window is open")
        }
        guard view.open.count < view.streamLimit, !view.hasSmallHeaderList, !view.isDraining else { return }
        for note in view.notes where note.stream == nil && note.expected == nil && !view.slices[note.slice].isFinished {
            throw Wrong("a notification waits although it may be sent")
        }
    }

    /// Nothing that the other side sends fills our memory.
    private func checkBounds() throws(Wrong) {
        guard machine.streamCount == (closure == nil ? view.open.count : 0) || machine.isClosing(view) else {
            throw Wrong("\(machine.streamCount) streams instead of \(view.open.count)")
        }
        guard machine.unread.readableBytes <= 16_384 + 9 else { throw Wrong("too much is kept unread") }
        guard machine.control.readableBytes <= 300_000 else { throw Wrong("too many acknowledgements wait") }
        guard machine.openBlock.map({ $0.fragments.count <= 16_384 }) != false else { throw Wrong("too long a block") }
        guard machine.streams.slots.count <= machine.configuration.maximumStreams,
            machine.streams.details.allSatisfy({ $0.body.count <= Answer.bodyLimit + 1 })
        else { throw Wrong("streams keep too much") }
    }
}

extension HTTP2ClientStateMachine {
    /// Whether streams that nobody waits for may be gone before the view has seen their reset.
    fileprivate func isClosing(_ view: ModelView) -> Bool {
        streamCount <= view.open.count && control.readableBytes > 0
    }
}
