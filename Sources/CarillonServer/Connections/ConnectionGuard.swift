import CarillonEngine
import HTTPTypes
package import NIOCore
package import NIOHTTPTypes

/// Ends connections whose peer is too slow, and those of an address that has too many.
///
/// ``ConnectionDeadlines`` has the rules; this handler passes it the channel's events. It sets a timer only while
/// something is awaited: a request that arrives in one piece and is read at once needs none.
package final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    package typealias InboundIn = HTTPRequestPart
    package typealias InboundOut = HTTPRequestPart
    package typealias OutboundIn = HTTPResponsePart
    package typealias OutboundOut = HTTPResponsePart

    private let places: ConnectionPlaces
    private let metrics: ServerMetrics
    private var place: Places<String>.Place?
    private var deadlines: ConnectionDeadlines
    private var timer: (deadline: NIODeadline, task: Scheduled<Void>)?
    private var isAdmitted = false
    private var isClosed = false

    /// Creates the guard of one connection.
    ///
    /// - Parameters:
    ///   - limits: Its minimum speed.
    ///   - places: The connections that its address may have.
    ///   - metrics: Counts the connections that are ended.
    package init(limits: ConnectionLimits, places: ConnectionPlaces, metrics: ServerMetrics) {
        self.places = places
        self.metrics = metrics
        deadlines = ConnectionDeadlines(limits)
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { admit(context) }
    }

    package func handlerRemoved(context: ChannelHandlerContext) { end() }

    package func channelActive(context: ChannelHandlerContext) {
        admit(context)
        context.fireChannelActive()
    }

    package func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    // MARK: Requests

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            deadlines.receiveHead(
                declaredSize: head.headerFields[.contentLength].flatMap { Int($0) },
                now: context.eventLoop.now
            )
        case .body(let bytes):
            if let violation = deadlines.receiveBody(size: bytes.readableBytes) {
                close(context, violation)
                return
            }
        case .end: deadlines.receiveEnd()
        }
        context.fireChannelRead(data)
    }

    package func channelReadComplete(context: ChannelHandlerContext) {
        deadlines.endWaiting(now: context.eventLoop.now)
        context.fireChannelReadComplete()
    }

    package func read(context: ChannelHandlerContext) {
        deadlines.beginWaiting(now: context.eventLoop.now)
        setTimer(context)
        context.read()
    }

    // MARK: Answers

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            guard head.status.kind != .informational, deadlines.sendHead() else { break }
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
            return
        case .body(let bytes): deadlines.sendBody(size: bytes.readableBytes)
        case .end:
            deadlines.sendEnd(now: context.eventLoop.now)
            setTimer(context)
        }
        context.write(data, promise: promise)
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        deadlines.changeWritability(context.channel.isWritable, now: context.eventLoop.now)
        setTimer(context)
        context.fireChannelWritabilityChanged()
    }

    // MARK: - Private

    private func admit(_ context: ChannelHandlerContext) {
        guard !isAdmitted, !isClosed else { return }
        do {
            place = try places.acquire(context.channel.remoteAddress)
            isAdmitted = true
            metrics.openConnection()
        } catch {
            isClosed = true
            metrics.countEnd(.tooManyOfAddress)
            context.close(promise: nil)
        }
    }

    /// Schedules the check of the next deadline.
    ///
    /// A timer that fires too early schedules the next check, so a set timer need not be moved back.
    private func setTimer(_ context: ChannelHandlerContext) {
        guard !isClosed, let deadline = deadlines.deadline else { return }
        if let timer {
            guard deadline < timer.deadline else { return }
            timer.task.cancel()
        }
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [self] in
            timer = nil
            if let violation = deadlines.violation(at: context.eventLoop.now) {
                close(context, violation)
            } else {
                setTimer(context)
            }
        }
        timer = (deadline, task)
    }

    private func close(_ context: ChannelHandlerContext, _ reason: ConnectionEnd) {
        guard !isClosed else { return }
        end()
        metrics.countEnd(reason)
        context.close(promise: nil)
    }

    private func end() {
        isClosed = true
        if isAdmitted { metrics.closeConnection() }
        isAdmitted = false
        place = nil
        timer?.task.cancel()
        timer = nil
    }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
