import Carillon
import Foundation

extension TestKitServer {
    /// Sets faults in place of its own answers, each for one request.
    package func next(_ faults: Fault...) { with { $0.faults += faults } }

    /// Sets a fault in place of its own answers; `nil`: none.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - method: The method of the requests; missing: all.
    package func always(_ fault: Fault?, to method: String? = nil) {
        with { state in
            state.always = fault
            state.alwaysTo = method
        }
    }

    /// Answers requests that are held.
    package func release() {
        let held = with { state in
            defer { state.held = [] }
            return state.held
        }
        for shot in held { shot.complete(()) }
    }

    /// Waits until a request is held.
    package func untilHolding() async {
        let shot: OneShot<Void>? = with { state in
            guard state.held.isEmpty else { return nil }
            let shot = OneShot<Void>()
            state.heldWaiters.append(shot)
            return shot
        }
        await shot?.wait()
    }
}
