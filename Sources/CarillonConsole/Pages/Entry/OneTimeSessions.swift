import CarillonBytes
package import CarillonEngine
package import CarillonModel
import CarillonOperatorModel
import NIOConcurrencyHelpers

/// Sessions that a link opens once, for a demonstration that prints the link on its own machine.
///
/// They are in memory alone, and a server that is started in another way has no such page.
package final class OneTimeSessions: Sendable {
    private struct Offer {
        let opened: OpenedSession
        let expiresAt: Timestamp
    }

    private let offers = NIOLockedValueBox<[SecretHash: Offer]>([:])

    package init() {}

    /// Makes a link for a session.
    ///
    /// - Parameters:
    ///   - opened: The session.
    ///   - end: The time at which the link expires.
    /// - Returns: The link's path.
    package func link(to opened: OpenedSession, until end: Timestamp) -> String {
        let secret = Base64URL.encode(RandomBytes.system(32))
        offers.withLockedValue { $0[SecretHash(of: secret)] = Offer(opened: opened, expiresAt: end) }
        return Console.prefix + "/demo/" + secret
    }

    /// Declares the page that a link opens: it changes nothing in the store, where the session is already.
    func declare(_ routes: inout ConsoleRoutes) {
        routes.entry("GET", "/demo/{once}") { visit in
            guard Self.isLocal(visit.request),
                let offer = self.take(visit.parameters["once"] ?? ""), visit.now < offer.expiresAt
            else { throw EngineError.operators(.linkGone) }
            return .opened(offer.opened, Continuation())
        }
    }

    // MARK: - Private

    private func take(_ secret: String) -> Offer? {
        offers.withLockedValue { $0.removeValue(forKey: SecretHash(of: secret)) }
    }

    /// Whether a browser on this machine asks, under a name of this machine: a name of another one may lead here too.
    private static func isLocal(_ request: ConsoleRequest) -> Bool {
        request.origin.isLoopback && ["127.0.0.1", "::1"].contains(request.caller.address)
    }
}
