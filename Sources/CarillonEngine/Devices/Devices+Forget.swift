import CarillonModel
import CarillonOperatorModel

extension Devices {
    /// Forgets a Device with its tokens, its events and its inbox.
    ///
    /// Its User's tags, attributes and past go too when it is the User's last Device. Totals that its events are in stay.
    /// Where anybody may claim a User, what the User's other Devices did stays: each Device's past is its own there, and
    /// an operator's erasure of the User finds it.
    ///
    /// It is done in steps, of which the Device itself is the last: one that was cut off can be asked for again.
    ///
    /// - Parameters:
    ///   - caller: Which Device.
    ///   - user: Whether the User is forgotten whatever other Devices there are; these stay registered.
    /// - Throws: ``EngineError/notFound(_:)``, ``EngineError/refused(_:)`` for another secret than the Device's.
    package func forget(_ caller: DeviceCaller, user: Bool) async throws(EngineError) {
        let person = try await stored(try await store.forgottenUser(caller, evenIfOthers: user)).get()
        let isVouchedFor = try await apps.facts(caller.app).identity == .signed
        try await inboxes.erase(app: caller.app, device: caller.device, user: isVouchedFor ? person : nil)
        try await stored(try await store.forget(caller, user: person, isPastErased: isVouchedFor)).get()
    }
}
