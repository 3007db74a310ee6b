import NIOConcurrencyHelpers
import NIOCore

/// The core's state of a running scenario.
///
/// A request costs one subtraction; without a scenario the number never reaches zero.
struct ScenarioState: Sendable {
    fileprivate(set) var run: ScenarioRun?
    /// How many requests the next step waits for, without those since.
    private var span = Int.max
    private var requestsLeft = Int.max
    /// The ids of faults that the scenario added.
    fileprivate var faults: Set<Int> = []
    /// Actions that steps must execute outside the lock.
    fileprivate var pending: [ScenarioAction] = []

    /// Counts one request.
    ///
    /// - Returns: The steps that are now due.
    mutating func countRequest() -> [ScenarioStep] {
        requestsLeft -= 1
        guard requestsLeft == 0 else { return [] }
        let steps = run?.removeSteps(afterFurther: span) ?? []
        expect()
        return steps
    }

    fileprivate mutating func begin(_ run: ScenarioRun?) {
        self.run = run
        faults = []
        expect()
    }

    fileprivate mutating func removeSteps(at time: SimulatedTime) -> [ScenarioStep] {
        run?.removeSteps(at: time) ?? []
    }

    mutating func removePending() -> [ScenarioAction] {
        guard !pending.isEmpty else { return [] }
        defer { pending = [] }
        return pending
    }

    private mutating func expect() {
        span = run?.requestsToNext ?? .max
        requestsLeft = span
    }
}

extension SimulatorCore {
    /// Executes steps as far as possible under the lock; actions on connections are left to their owner.
    func carryOut(_ steps: [ScenarioStep], in state: inout State, now: SimulatedTime) {
        for action in steps.flatMap(\.actions) {
            carryOut(action, in: &state, now: now)
        }
    }

    private func carryOut(_ action: ScenarioAction, in state: inout State, now: SimulatedTime) {
        switch action {
        case .removeFaults: state.gateway.faults.removeAll()
        case .addFault(let order): add(order, to: &state, now: now)
        case .addKey(let key): state.gateway.keys.add(key)
        case .revokeKey(let keyID): _ = state.gateway.keys.revoke(keyID: keyID)
        case .endTokens(let percent, let isExpiry):
            state.gateway.endTokens(percent: percent, Registration.End(since: now, isExpiry: isExpiry))
        case .registerTokens: state.gateway.registerTokens()
        case .setRules(let rules, let listener):
            if let position = position(of: listener) {
                state.gateway.setRules(rules, ofListener: position)
            }
        case .setConnectionRules, .perform, .setAvailable, .advanceClock:
            state.scenario.pending.append(action)
        }
    }

    private func add(_ order: FaultOrder, to state: inout State, now: SimulatedTime) {
        let fault = order.fault(from: now)
        let listener = fault.listener.map { position(of: $0) ?? -1 }
        state.scenario.faults.insert(state.gateway.faults.add(fault, listener: listener))
    }

    private func position(of listener: String) -> Int? {
        configuration.listeners.firstIndex { $0.name == listener }
    }

    /// Begins a scenario instead of the current one; removes the active faults first.
    fileprivate func begin(_ scenario: Scenario) {
        let (now, start) = (clock.now, realClock.now)
        state.withLockedValue { state in
            var random = SplitMix64(state: scenario.seed ?? .random(in: 0 ... .max))
            for key in scenario.keys { state.gateway.keys.add(key) }
            for listener in scenario.listeners {
                if let position = position(of: listener.name) {
                    state.gateway.setRules(listener.rules, ofListener: position)
                }
            }
            for order in scenario.tokens { state.gateway.issue(order, using: &random) }
            state.gateway.faults.removeAll()
            state.scenario.begin(ScenarioRun(scenario, start: start))
            for order in scenario.faults { add(order, to: &state, now: now) }
            carryOut(state.scenario.removeSteps(at: start), in: &state, now: now)
        }
    }

    /// Executes the steps that are due by time.
    ///
    /// - Returns: Actions to execute outside the lock, and when the next step is due.
    fileprivate func executeTimedSteps() -> (pending: [ScenarioAction], next: SimulatedTime?) {
        let (now, time) = (clock.now, realClock.now)
        return state.withLockedValue { state in
            carryOut(state.scenario.removeSteps(at: time), in: &state, now: now)
            return (state.scenario.removePending(), state.scenario.run?.nextTime)
        }
    }

    fileprivate func endScenario() -> Bool {
        state.withLockedValue { state in
            for id in state.scenario.faults { _ = state.gateway.faults.remove(id: id) }
            defer { state.scenario.begin(nil) }
            return state.scenario.run != nil
        }
    }
}

extension Gateway {
    /// Issues the tokens of a scenario; a known token stays unchanged.
    fileprivate mutating func issue(_ order: Scenario.TokenOrder, using random: inout SplitMix64) {
        let environment = order.environment ?? validators.first?.rules.environment ?? .production
        for _ in 0..<order.count {
            let random = (0..<4).flatMap { _ in withUnsafeBytes(of: random.next().bigEndian) { Array($0) } }
            let token = order.token ?? random
            guard devices.find(token) == nil, !devices.isFull else { continue }
            let device = devices.insert(token)
            if order.isOffline { devices.markOwned(device) }
            _ = devices.issue(device, topic: order.topic, environment: environment)
        }
    }

    fileprivate mutating func endTokens(percent: Double, _ end: Registration.End) {
        for device in 0..<devices.count
        where devices.registration(of: device).end == nil && random.nextFraction() * 100 < percent {
            devices.end(device, end)
        }
    }

    fileprivate mutating func registerTokens() {
        for device in 0..<devices.count where devices.registration(of: device).end != nil {
            devices.end(device, nil)
        }
    }
}

extension SimulatorHandle {
    /// Begins a scenario instead of the current one; removes the active faults first.
    ///
    /// Unknown listeners are ignored.
    package func begin(_ scenario: Scenario) {
        for listener in scenario.listeners {
            try? setConnectionRules(listener.connections, of: listener.name)
        }
        core.begin(scenario)
        executeDueSteps()
    }

    /// Ends a running scenario: no further step runs, and its faults end; other effects stay.
    ///
    /// - Returns: Whether a scenario was running.
    @discardableResult
    package func endScenario() -> Bool {
        core.scenarioTimer.withLockedValue { timer in
            timer?.cancel()
            timer = nil
        }
        return core.endScenario()
    }

    /// The progress of the scenario; nil when none was begun.
    package func scenarioProgress() -> ScenarioProgress? {
        core.state.withLockedValue { $0.scenario.run?.progress }
    }

    /// Executes due steps, and schedules the next.
    func executeDueSteps() {
        let (pending, next) = core.executeTimedSteps()
        perform(pending)
        guard let next else { return }
        let wait = max(0, next.milliseconds - core.realClock.now.milliseconds)
        core.scenarioTimer.withLockedValue { timer in
            timer?.cancel()
            // Within the lock: a task that has run before it is stored would schedule the next one, which is then
            // cancelled here.
            timer = pushListeners.eventLoop.scheduleTask(in: .milliseconds(wait)) { executeDueSteps() }
        }
    }

    /// Executes actions of steps outside the lock.
    func perform(_ actions: [ScenarioAction]) {
        for action in actions {
            switch action {
            // The listeners' names were checked when the scenario was read.
            case .setConnectionRules(let rules, let listener): try? setConnectionRules(rules, of: listener)
            case .perform(let order, let choice): try? perform(order, on: choice)
            case .setAvailable(let isAvailable): setAvailable(isAvailable)
            case .advanceClock(let span): advanceClock(by: span)
            case .removeFaults, .addFault, .addKey, .revokeKey, .endTokens, .registerTokens, .setRules: break
            }
        }
    }
}

extension SimulatorConfiguration {
    /// Applies the listeners of a scenario: those with a known name are changed, others are added.
    package mutating func add(_ scenario: Scenario) {
        for changed in scenario.listeners {
            if changed.name == listener.name {
                listener = changed
            } else if let position = otherListeners.firstIndex(where: { $0.name == changed.name }) {
                otherListeners[position] = changed
            } else {
                otherListeners.append(changed)
            }
        }
        seed = scenario.seed ?? seed
        self.scenario = scenario
    }
}
