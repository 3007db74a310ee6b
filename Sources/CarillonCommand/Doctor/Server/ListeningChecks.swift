/// The state of the address that a server listens on.
enum ListeningState: Hashable, Sendable {
    /// Port 0: the system chooses one.
    case anyPort
    /// It is free, and this user may listen on it.
    case free
    /// A Carillon server listens on it; its `/ready`.
    case served(Readiness)
    /// Another program listens on it.
    case taken
    /// This user may not listen on it, or it is not an address of this machine; holds the reason.
    case refused(String)

    /// The content of `/ready`.
    struct Readiness: Hashable, Sendable {
        var isReady: Bool
        /// The reasons.
        var reasons: [String]
        /// Whether it is configured to send nothing.
        var isHeld = false
    }
}

extension ServerFinding {
    /// The finding for the address.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - place: `HOST:PORT`.
    /// - Returns: The finding.
    static func listening(_ state: ListeningState, at place: String) -> ServerFinding {
        switch state {
        case .anyPort: return .ok(.listening, "The system chooses a port at every start.")
        case .free: return .ok(.listening, "\(place) is free, and no server runs there.")
        case .served(let readiness) where readiness.isReady && readiness.isHeld:
            let reasons = ([""] + readiness.reasons).joined(separator: " ")
            return .warning(
                .listening,
                "A server runs at \(place) on hold: it sends nothing.\(reasons)",
                "Start it without --hold to send."
            )
        case .served(let readiness) where readiness.isReady && readiness.reasons.isEmpty:
            return .ok(.listening, "A server runs at \(place) and is ready.")
        case .served(let readiness):
            let reasons = readiness.reasons.joined(separator: " ")
            let advice = "Look at the other lines and at the server's log."
            return readiness.isReady
                ? .warning(.listening, "A server runs at \(place) and is degraded: \(reasons)", advice)
                : .problem(.listening, "A server runs at \(place) and is not ready: \(reasons)", advice)
        case .taken:
            return .problem(
                .listening,
                "Another program listens at \(place).",
                "End that one (ss -ltnp shows it), or give another --port."
            )
        case .refused(let text):
            return .problem(
                .listening,
                "Cannot listen at \(place): \(text).",
                "Give an address of this machine with --host, and a --port of 1024 or more."
            )
        }
    }
}
