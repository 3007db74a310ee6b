/// The address that a server is to listen at, as it is found.
enum ListeningState: Hashable, Sendable {
    /// Port 0: the system chooses one.
    case anyPort
    /// Nobody listens there, and this user may.
    case free
    /// A Carillon server listens there; what its `/ready` says.
    case served(Readiness)
    /// Something else listens there.
    case taken
    /// This user may not listen there, or it is no address of this machine; in words.
    case refused(String)

    /// What `/ready` says.
    struct Readiness: Hashable, Sendable {
        var isReady: Bool
        /// What is wrong, in words.
        var reasons: [String]
        /// Whether it is told to send nothing.
        var isHeld = false
    }
}

extension ServerFinding {
    /// What the address says.
    ///
    /// - Parameters:
    ///   - state: What was found.
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
                "A server runs at \(place) and holds: it sends nothing.\(reasons)",
                "Start it without --hold when it is to send."
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
