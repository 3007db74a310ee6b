extension Devices {
    /// Forgets a Device with its tokens, its events and its inbox.
    ///
    /// Its User's tags, attributes and past go too when it is the User's last Device. Totals that its events are in stay.
    /// It is done in steps, of which the Device itself is the last: one that was cut off can be asked for again.
    ///
    /// - Parameters:
    ///   - caller: Which Device.
    ///   - user: Whether the User is forgotten whatever other Devices there are; these stay registered.
    /// - Throws: ``EngineError/notFound(_:)``, ``EngineError/refused(_:)`` for another secret than the Device's.
    package func forget(_ caller: DeviceCaller, user: Bool) async throws(EngineError) {
        let person = try await stored { () async throws(StoreError) in
            try await store.forgottenUser(caller, evenIfOthers: user)
        }.get()
        try await inboxes.erase(app: caller.app, device: caller.device, user: person)
        try await stored { () async throws(StoreError) in try await store.forget(caller, user: person) }.get()
    }
}
