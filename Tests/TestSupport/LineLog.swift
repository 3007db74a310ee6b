/// What an app logged, in order, to be waited for.
@MainActor
package final class LineLog {
    package private(set) var all: [String] = []
    private var waiters: [(text: String, resume: () -> Void)] = []

    package nonisolated init() {}

    /// Takes a line.
    package func add(_ line: String) {
        all.append(line)
        let ready = waiters.filter { line.hasPrefix($0.text) }
        waiters.removeAll { line.hasPrefix($0.text) }
        for waiter in ready { waiter.resume() }
    }

    /// Waits until a line begins so.
    package func until(_ text: String) async {
        guard !all.contains(where: { $0.hasPrefix(text) }) else { return }
        await withCheckedContinuation { continuation in waiters.append((text, { continuation.resume() })) }
    }
}
