import Foundation
import NIOConcurrencyHelpers

extension SimulatorHandle {
    /// The current listeners, the main one first.
    ///
    /// Their ports are the configured ones, which may be 0; ``APNsSimulator/addresses()`` has the real ones.
    package func listeners() -> [ListenerConfiguration] {
        let rules = core.state.withLockedValue { $0.gateway.validators.map(\.rules) }
        return pushListeners.all.map { listener in
            var configuration = core.configuration.listeners[listener.position]
            configuration.rules = rules[listener.position]
            configuration.connections = listener.currentRules
            return configuration
        }
    }

    /// A listener as it was when the simulator started; nil when there is none of that name.
    package func firstListener(_ name: String) -> ListenerConfiguration? {
        core.configuration.listeners.first { $0.name == name }
    }

    /// Restores the rules of all listeners to those that the simulator started with.
    package func resetRules() {
        for listener in core.configuration.listeners {
            try? setRules(listener.rules, of: listener.name)
            try? setConnectionRules(listener.connections, of: listener.name)
        }
    }

    /// Why a listener's name is not accepted, with the names there are.
    var unknownListener: String {
        "there is no listener of that name; there are "
            + core.configuration.listeners.map(\.name).joined(separator: ", ")
    }

    /// Changes the validation rules of a listener, also for open connections.
    ///
    /// - Throws: ``Failure/unknownListener``
    package func setRules(_ rules: ValidationRules, of listener: String) throws(Failure) {
        let position = try position(of: listener)
        core.state.withLockedValue { $0.gateway.setRules(rules, ofListener: position) }
    }

    /// Changes the connection rules of a listener.
    ///
    /// Open connections apply limits, refusals and the idle timeout; the rest is for new ones.
    /// - Throws: ``Failure/unknownListener``
    package func setConnectionRules(_ rules: ConnectionRules, of listener: String) throws(Failure) {
        pushListeners.all[try position(of: listener)].setRules(rules)
    }

    /// Performs an action on open connections.
    ///
    /// - Throws: ``Failure/unknownListener``, or ``Failure/unknownConnection``.
    package func perform(_ action: ConnectionAction, on choice: ConnectionChoice) throws(Failure) {
        switch choice {
        case .all: pushListeners.all.forEach { _ = $0.perform(action, on: nil) }
        case .listener(let name): _ = pushListeners.all[try position(of: name)].perform(action, on: nil)
        case .connection(let id):
            guard pushListeners.all.contains(where: { $0.perform(action, on: id) }) else { throw .unknownConnection }
        }
    }

    /// The simulator's time, for provider tokens, faults and stored notifications.
    package var now: SimulatedTime {
        core.clock.now
    }

    /// Moves the simulator's clock forward, or back by a negative duration; idle connections are checked at once.
    package func advanceClock(by duration: Duration) {
        core.clock.advance(by: duration)
        pushListeners.all.forEach { $0.notifyMovedClock() }
    }

    /// Creates a push certificate for a client, signed by the simulator's authority.
    ///
    /// - Parameters:
    ///   - order: The content of the certificate.
    ///   - passphrase: Protects the PKCS#12 form.
    /// - Returns: The certificate with its key.
    /// - Throws: ``Failure/badCertificateOrder``
    package func issueClientCertificate(
        _ order: ClientCertificateOrder,
        passphrase: String
    ) throws(Failure) -> ClientCertificate {
        let topics = [order.topic] + order.furtherTopics
        guard topics.count <= 400, topics.allSatisfy({ FieldSyntax.isTopic(Array($0.utf8)[...]) }),
            !order.environments.isEmpty, order.validity > .zero, order.validity <= .seconds(3650 * 86_400)
        else { throw .badCertificateOrder }
        do {
            return try authority.issue(order, passphrase: passphrase, now: Date())
        } catch {
            throw .badCertificateOrder
        }
    }

    private func position(of listener: String) throws(Failure) -> Int {
        guard let position = core.configuration.listeners.firstIndex(where: { $0.name == listener }) else {
            throw .unknownListener
        }
        return position
    }
}
