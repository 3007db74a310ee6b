/// What happened, one line an event, in the order of the events.
///
/// A UI test runs in another process than the app: it reads these lines on the app's screen.
@MainActor
final class EventLog {
    private(set) var lines: [String] = []
    /// Called after each new line.
    var onChange: (@MainActor () -> Void)?

    func add(_ line: String) {
        lines.append(line)
        onChange?()
    }
}
