/// The state of one phone in another simulated framework.
package protocol SimulatedPart: AnyObject, Sendable {
    /// Creates the state of a new phone.
    init()

    /// The app was terminated: its memory is lost.
    func appWasKilled()
}

extension SimulatedPart {
    package func appWasKilled() {}
}

extension SimulatedSystem {
    /// The state of this phone in a framework; created on first use.
    ///
    /// - Parameter type: The framework's type.
    /// - Returns: The same object each time.
    package func part<Part: SimulatedPart>(_ type: Part.Type = Part.self) -> Part {
        with { state in
            if let known = state.parts[ObjectIdentifier(type)] as? Part { return known }
            let part = Part()
            state.parts[ObjectIdentifier(type)] = part
            return part
        }
    }

    /// Terminates the app, as the system or the person may at any time.
    ///
    /// Its memory is lost.
    package func killApp() {
        appState = .notRunning
        application = nil
        appDelegate = nil
        let parts = with { Array($0.parts.values) }
        for part in parts { part.appWasKilled() }
    }
}
