/// The progress of a scenario: returns due steps, without executing them.
struct ScenarioRun: Sendable {
    let scenario: Scenario
    /// When it began, by the real clock.
    let start: SimulatedTime
    private var counted: ArraySlice<ScenarioStep>
    private var timed: ArraySlice<ScenarioStep>
    private var judged = 0
    private(set) var taken = 0

    init(_ scenario: Scenario, start: SimulatedTime) {
        self.scenario = scenario
        self.start = start
        // Steps for the same moment stay in the file's order.
        let steps = scenario.steps.enumerated()
        counted =
            steps.filter { $0.element.requests != nil }
            .sorted { ($0.element.requests ?? 0, $0.offset) < ($1.element.requests ?? 0, $1.offset) }
            .map(\.element)[...]
        timed =
            steps.filter { $0.element.time != nil }
            .sorted { ($0.element.time ?? .zero, $0.offset) < ($1.element.time ?? .zero, $1.offset) }
            .map(\.element)[...]
    }

    /// How many requests remain until the next counted step; nil when there is none.
    var requestsToNext: Int? {
        counted.first?.requests.map { $0 - judged }
    }

    /// When the next timed step is due; nil when there is none.
    var nextTime: SimulatedTime? {
        timed.first?.time.map { start.advanced(by: $0) }
    }

    /// Removes and returns the steps that are due after further requests.
    mutating func removeSteps(afterFurther requests: Int) -> [ScenarioStep] {
        judged += requests
        let due = counted.prefix { ($0.requests ?? 0) <= judged }
        counted = counted.dropFirst(due.count)
        taken += due.count
        return Array(due)
    }

    /// Removes and returns the steps that are due at a time.
    mutating func removeSteps(at now: SimulatedTime) -> [ScenarioStep] {
        let due = timed.prefix { step in step.time.map { start.advanced(by: $0) <= now } ?? false }
        timed = timed.dropFirst(due.count)
        taken += due.count
        return Array(due)
    }

    var progress: ScenarioProgress {
        let byRequests = counted.first?.requests.map { "after \($0) requests" }
        let byTime = timed.first?.time.map { "at \(Wording.span($0))" }
        let next = [byRequests, byTime].compactMap { $0 }
        return ScenarioProgress(
            name: scenario.name,
            taken: taken,
            steps: scenario.steps.count,
            next: next.isEmpty ? nil : next.joined(separator: ", or ")
        )
    }
}

extension ScenarioStep {
    fileprivate var requests: Int? {
        if case .requests(let count) = trigger { count } else { nil }
    }

    fileprivate var time: Duration? {
        if case .time(let span) = trigger { span } else { nil }
    }
}
