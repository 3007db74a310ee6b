import NIOCore

// External events of a connection: orders, and time.
extension PushConnection {
    func carryOut(_ order: Order, _ context: ChannelHandlerContext) {
        switch order {
        case .action(let action): carryOut(action, context)
        case .rules(let rules): adopt(rules, context)
        case .clockMoved: leaveIfIdle(context)
        }
    }

    private func carryOut(_ action: ConnectionAction, _ context: ChannelHandlerContext) {
        guard let session else {
            // The handshake is incomplete.
            switch action {
            case .goAway, .cut: context.close(promise: nil)
            case .streamLimit, .resetStreams, .stall: break
            }
            return
        }
        switch action {
        case .goAway(let goodbye):
            guard !isStalled else { return traffic.cut() }
            guard !session.isLeaving else { return }
            session.goAway(lastStream: session.lastOpened, goodbye)
        case .streamLimit(let limit):
            rules.streamLimit = limit
            announceLimit(session)
        case .resetStreams(let code):
            session.resetStreams(errorCode: code)
        case .stall(let duration?):
            pause(for: duration)
        case .stall(nil):
            isStalled = true
        case .cut:
            return traffic.cut()
        }
        flush(context)
    }

    private func adopt(_ rules: ConnectionRules, _ context: ChannelHandlerContext) {
        self.rules = rules
        guard let session else { return }
        session.refusal = rules.refusal
        session.refusalsLeft = rules.refusalsBeforeGoAway
        announceLimit(session)
        watchIdleness(context)
        flush(context)
    }

    private func announceLimit(_ session: HTTP2Session) {
        if !isHumbled {
            session.announce(streamLimit: hasRaisedLimit ? rules.streamLimit : rules.initialStreamLimit)
        }
    }

    // MARK: - Time

    /// Delays a response.
    func answerLater(_ stream: Int32, with reply: Reply, after delay: Duration) {
        guard let context else { return }
        let soonest = delayed.next
        delayed.add(reply, on: stream, due: lastHeard + TimeAmount(delay))
        guard let next = delayed.next, next != soonest else { return }
        delayTimer?.cancel()
        schedule(at: next, context)
    }

    private func schedule(at deadline: NIODeadline, _ context: ChannelHandlerContext) {
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        delayTimer = context.eventLoop.scheduleTask(deadline: deadline) {
            connection.value.answerDue()
        }
    }

    private func answerDue() {
        guard let context, let session else { return }
        let now = NIODeadline.now()
        while let item = delayed.popDue(at: now) {
            // The client may have reset the stream meanwhile.
            if let stream = session.stream(item.stream), !stream.isRefused {
                answer(stream, with: item.reply)
            }
        }
        if let next = delayed.next {
            schedule(at: next, context)
        }
        flush(context)
    }

    /// Pauses reading and writing for a while.
    func pause(for duration: Duration) {
        guard let context, !isPaused else { return }
        isPaused = true
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.channel.setOption(.autoRead, value: false).whenComplete { _ in }
        context.eventLoop.scheduleTask(in: TimeAmount(duration)) {
            connection.value.goOn()
        }
    }

    private func goOn() {
        guard let context else { return }
        isPaused = false
        context.channel.setOption(.autoRead, value: true).whenComplete { _ in }
        flush(context)
    }

    /// Delays WINDOW_UPDATE by the listener's rules.
    func holdWindow(_ session: HTTP2Session) {
        guard session.heldBytes > releasing, let delay = rules.windowDelay, let context else { return }
        let bytes = session.heldBytes - releasing
        releasing += bytes
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: TimeAmount(delay)) {
            connection.value.releaseWindow(bytes)
        }
    }

    private func releaseWindow(_ bytes: Int) {
        releasing -= bytes
        session?.release(bytes)
        if let context {
            flush(context)
        }
    }

    /// Checks periodically whether the client is idle for too long, when the listener's rules limit that.
    func watchIdleness(_ context: ChannelHandlerContext) {
        guard !isWatchingIdleness, let timeout = rules.idleTimeout, !isClosing else { return }
        isWatchingIdleness = true
        let left = now.advanced(by: timeout).milliseconds - core.clock.now.milliseconds
        let connection = NIOLoopBound(self, eventLoop: context.eventLoop)
        // A client that waits for a response, or a stopped clock, is checked again after the whole timeout.
        let span = left > 0 ? TimeAmount.milliseconds(left) : TimeAmount(timeout)
        context.eventLoop.scheduleTask(in: span) {
            guard let context = connection.value.context else { return }
            connection.value.isWatchingIdleness = false
            connection.value.leaveIfIdle(context)
            connection.value.watchIdleness(context)
        }
    }

    /// Sends GOAWAY to a client that has been idle too long by the simulator's clock.
    private func leaveIfIdle(_ context: ChannelHandlerContext) {
        // A client that waits for a response is not idle.
        guard let timeout = rules.idleTimeout, let session, !session.isLeaving, !isStalled, session.openStreams == 0,
            now.advanced(by: timeout) <= core.clock.now
        else { return }
        session.goAway(lastStream: session.lastOpened, Goodbye(reason: RejectionReason.idleTimeout.rawValue))
        flush(context)
    }
}
