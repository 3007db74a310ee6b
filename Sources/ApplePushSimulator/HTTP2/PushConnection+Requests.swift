import CNghttp2
import NIOCore

extension PushConnection {
    /// Validates complete requests, and executes their replies.
    func validate(_ session: HTTP2Session) {
        guard !session.taken.isEmpty else { return }
        var rest = session.taken[...]
        while !rest.isEmpty, !mustCut, !isStalled {
            let batch = nextBatch(of: rest)
            let count = batch.isEmpty ? 0 : core.validate(batch, connection: &state, from: id, now: now)
            for stream in batch.prefix(count) where !stream.isRefused {
                respond(to: stream, session)
            }
            requests += count
            rest = rest.dropFirst(count)
            if let limit = rules.requestLimit, requests >= limit, !session.isLeaving {
                session.goAway(lastStream: session.lastTaken, Goodbye())
            }
            if session.isLeaving {
                rest = rest.filter(session.allows)[...]
            }
        }
        session.finishTaken()
    }

    /// The requests that can be validated before any reply must be executed.
    private func nextBatch(of waiting: ArraySlice<HTTP2Stream>) -> ArraySlice<HTTP2Stream> {
        if rules.dropsLimitAfterRejection {
            return waiting.prefix(1)
        }
        return rules.requestLimit.map { waiting.prefix(max($0 - requests, 1)) } ?? waiting
    }

    private func respond(to stream: HTTP2Stream, _ session: HTTP2Session) {
        guard let reply = stream.reply, !mustCut, !isStalled, session.allows(stream) else { return }
        changeLimit(session, after: stream, reply)
        switch reply.manner {
        case .answer:
            answer(stream, with: reply)
        case .delayed(let delay):
            answerLater(stream.id, with: reply, after: delay)
            session.giveRequest(of: stream)
        case .pause(let delay):
            answer(stream, with: reply)
            pause(for: delay)
        case .reset(let code):
            session.reset(stream.id, errorCode: code)
        case .goAway(let goodbye):
            session.goAway(lastStream: session.lastTaken, goodbye)
            return
        case .close:
            mustCut = true
        case .stall:
            isStalled = true
        }
        session.lastTaken = max(session.lastTaken, stream.id)
    }

    /// Raises the limit of concurrent streams after acceptance, or lowers it after a rejection.
    private func changeLimit(_ session: HTTP2Session, after stream: HTTP2Stream, _ reply: Reply) {
        if !hasRaisedLimit, state.isAuthenticated {
            hasRaisedLimit = true
            session.announce(streamLimit: rules.streamLimit)
        }
        if let limit = reply.rare?.streamLimit {
            rules.streamLimit = limit
            session.announce(streamLimit: limit)
        }
        guard rules.dropsLimitAfterRejection, hasRaisedLimit else { return }
        if reply.reason == nil, reply.isAnswered, isHumbled {
            isHumbled = false
            session.announce(streamLimit: rules.streamLimit)
        } else if reply.reason != nil, !isHumbled {
            isHumbled = true
            session.announce(streamLimit: 1)
            // The rejected request itself is the one stream that may be open.
            session.resetStreams(errorCode: NGHTTP2_REFUSED_STREAM.rawValue, sparing: stream)
        }
    }
}
