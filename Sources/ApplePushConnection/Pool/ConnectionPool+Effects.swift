import ApplePush
import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOSSL

/// Executes the actions of the state machine.
extension ConnectionPool {
    func abortAll(after delay: TimeAmount) {
        group.next().scheduleTask(in: delay) { [weak self] in
            let connections = self?.state.withLockedValue { Array($0.connections.values) } ?? []
            for connection in connections { connection.abort() }
        }
    }

    /// Changes the state under the lock, then executes the actions outside of it.
    ///
    /// - Parameters:
    ///   - change: Changes the state.
    ///   - log: Called between them: who reads the line finds the changed state, who gets an outcome finds the line.
    func perform(_ change: (inout State) -> [PoolStateMachine.Action], log: () -> Void = {}) {
        let effects = state.withLockedValue { state in change(&state).map { effect(of: $0, &state) } }
        log()
        for effect in effects { run(effect) }
        scheduleTick()
    }

    /// Schedules the next tick, if anything depends on time: an idle pool has no timer.
    private func scheduleTick() {
        state.withLockedValue { state in
            guard !state.hasStopped, let interval = state.machine.tickInterval else { return }
            let next = NIODeadline.now() + interval
            if let tick = state.tick, tick.at <= next { return }
            state.tick?.task.cancel()
            let task = group.next().scheduleTask(deadline: next) { [weak self] in
                guard let self else { return }
                self.state.withLockedValue { $0.tick = nil }
                perform { $0.machine.tick(.now()) }
            }
            state.tick = (next, task)
        }
    }

    /// An action with the state that it needs.
    private enum Effect {
        case connect(Connection, ConnectionRoute)
        case offer(Connection, BatchSlice)
        case cancel(Connection, BatchSlice.ID)
        case drain(Connection)
        case resume(CheckedContinuation<[Outcome], Never>, [Outcome])
        case stopped([@Sendable () -> Void])
        case nothing
    }

    private func effect(of action: PoolStateMachine.Action, _ state: inout State) -> Effect {
        switch action {
        case .connect(let id):
            let connection = Connection { [weak self] event in self?.hear(event, from: id) }
            state.connections[id] = connection
            return .connect(connection, route(state))
        case .offer(let id, let slice): return state.connections[id].map { .offer($0, slice) } ?? .nothing
        case .cancel(let id, let slice): return state.connections[id].map { .cancel($0, slice) } ?? .nothing
        case .drain(let id): return state.connections[id].map { .drain($0) } ?? .nothing
        case .finish(let id, let outcomes):
            return state.callers.removeValue(forKey: id).map { .resume($0, outcomes) } ?? .nothing
        case .stopped:
            state.hasStopped = true
            state.tick?.task.cancel()
            state.tick = nil
            defer { state.stopWaiters = [] }
            return .stopped(state.stopWaiters)
        }
    }

    private func route(_ state: State) -> ConnectionRoute {
        var http2 = HTTP2ClientStateMachine.Configuration(authority: endpoint.authority)
        http2.maximumStreams = max(1, configuration.maximumStreams)
        http2.startsWithOneStream = !state.hasIdentity
        http2.maximumRequests = configuration.maximumRequestsPerConnection
        http2.silence = TimeAmount(configuration.silence)
        http2.pingTimeout = TimeAmount(configuration.pingTimeout)
        http2.idlePing = TimeAmount(configuration.idlePing)
        return ConnectionRoute(
            endpoint: endpoint,
            proxy: configuration.proxy,
            http2: http2,
            tls: state.tls,
            timeout: TimeAmount(configuration.connectTimeout),
            lookUp: configuration.lookUp,
            turn: state.machine.tally.connects
        )
    }

    private func run(_ effect: Effect) {
        switch effect {
        case .connect(let connection, let route): connection.connect(route, on: group.next())
        case .offer(let connection, let slice): connection.offer(slice)
        case .cancel(let connection, let slice): connection.cancel(slice)
        case .drain(let connection): connection.drain()
        case .resume(let caller, let outcomes): caller.resume(returning: outcomes)
        case .stopped(let waiters): for waiter in waiters { waiter() }
        case .nothing: break
        }
    }

    private func hear(_ event: Connection.Event, from id: Connection.ID) {
        switch event {
        case .ready:
            logger?.debug("APNs connection is ready", metadata: ["apns_host": "\(endpoint.host)"])
            let jitter = configuration.jitter()
            perform { $0.machine.connectionIsReady(id, at: .now(), jitter: jitter) }
        case .streamLimit(let limit):
            perform { $0.machine.streamLimitChanged(id, to: limit, at: .now()) }
        case .finished(let slice, let outcomes):
            perform { $0.machine.sliceFinished(slice, outcomes, at: .now()) }
        case .draining(let closure):
            let jitter = configuration.jitter()
            perform { $0.machine.connectionDrains(id, closure, at: .now(), jitter: jitter) }
        case .closed(let closure):
            let jitter = configuration.jitter()
            perform { state in
                if let connection = state.connections.removeValue(forKey: id) {
                    state.pastLatency += connection.figures.latency
                }
                return state.machine.connectionClosed(id, closure, at: .now(), jitter: jitter)
            } log: {
                logger?.info("APNs connection ended", metadata: closure.metadata(host: endpoint.host))
            }
        }
    }
}

extension ConnectionClosure {
    fileprivate func metadata(host: String) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["apns_host": "\(host)", "apns_cause": "\(cause.rawValue)"]
        if let reason { metadata["apns_reason"] = "\(reason.rawValue)" }
        if let code { metadata["apns_code"] = "\(code)" }
        if !detail.isEmpty { metadata["apns_detail"] = "\(detail)" }
        return metadata
    }
}
