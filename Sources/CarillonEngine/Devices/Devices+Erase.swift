import CarillonModel
import CarillonOperatorModel

extension Devices {
    /// Erases a Device with its tokens, its events and its inbox.
    ///
    /// Its User's tags, attributes and history are erased too when it is the User's last Device. Totals that include
    /// its events stay. In an App with open identity anyone can claim a User, so the history of the User's other
    /// Devices stays; an operator's erasure of the User includes it.
    ///
    /// The Device itself is erased in the last of several steps, so an interrupted erasure can be repeated.
    ///
    /// - Parameters:
    ///   - caller: The Device.
    ///   - user: Whether to erase the User despite other Devices, which stay registered.
    /// - Throws: ``EngineError/notFound(_:)``; ``EngineError/refused(_:)`` when the secret is not the Device's.
    package func erase(_ caller: DeviceCaller, user: Bool) async throws(EngineError) {
        let person = try await stored(try await store.forgottenUser(caller, evenIfOthers: user)).get()
        let isVouchedFor = try await apps.facts(caller.app).identity == .signed
        try await inboxes.erase(app: caller.app, device: caller.device, user: isVouchedFor ? person : nil)
        let now = clock.now()
        try await stored(try await store.forget(caller, user: person, isPastErased: isVouchedFor, at: now)).get()
    }
}
