package import CarillonEngine
import CarillonOperatorModel
import NIOConcurrencyHelpers

/// Sessions that a link opens once, for a demonstration that prints the link on its own machine.
///
/// They are in memory alone: a server that is started in another way has no such links.
package final class OneTimeSessions: Sendable {
    private let sessions = NIOLockedValueBox<[String: OpenedSession]>([:])

    package init() {}

    /// Makes a link for a session.
    ///
    /// - Parameter opened: The session.
    /// - Returns: The link's path.
    package func link(to opened: OpenedSession) -> String {
        var generator = SystemRandomNumberGenerator()
        let secret = (0..<4).map { _ in String(generator.next(), radix: 36) }.joined()
        sessions.withLockedValue { $0[secret] = opened }
        return Console.prefix + "/demo/" + secret
    }

    /// Declares the page that a link opens: it changes nothing in the store, where the session is already.
    func declare(_ routes: inout ConsoleRoutes) {
        routes.entry("GET", "/demo/{once}") { visit in
            let secret = visit.parameters["once"] ?? ""
            guard let opened = self.sessions.withLockedValue({ $0.removeValue(forKey: secret) }) else {
                throw EngineError.operators(.linkGone)
            }
            return .opened(opened, Continuation())
        }
    }
}
