/// What another of the simulated frameworks keeps of one phone.
package protocol SimulatedPart: AnyObject, Sendable {
    /// Makes what a new phone has.
    init()

    /// The app was ended: what it held is gone.
    func appWasKilled()
}

extension SimulatedPart {
    package func appWasKilled() {}
}

extension SimulatedSystem {
    /// What a framework keeps of this phone; made when it is first asked for.
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

    /// Ends the app, as the system or the person may at any time.
    ///
    /// What it had only in memory is gone.
    package func killApp() {
        appState = .notRunning
        application = nil
        appDelegate = nil
        let parts = with { Array($0.parts.values) }
        for part in parts { part.appWasKilled() }
    }
}
