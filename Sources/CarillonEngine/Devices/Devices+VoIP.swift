package import CarillonModel

/// VoIP tokens, separate from device tokens for notifications.
extension Devices {
    /// Saves a Device's VoIP token; the same token again changes only the time.
    ///
    /// It needs no consent: the person answers or declines a call. A Device that registers another Device's token takes
    /// it over.
    ///
    /// - Throws: ``EngineError/notFound(_:)``; ``EngineError/refused(_:)`` when the secret is not the Device's.
    package func registerVoIP(
        _ registration: VoIPRegistration,
        of caller: DeviceCaller
    ) async throws(EngineError) -> VoIPRecord {
        let now = clock.now()
        let tokensPerUser = try await apps.facts(caller.app).tokensPerUser
        return try await stored(
            try await store.setVoIPToken(registration, of: caller, tokensPerUser: tokensPerUser, at: now)
        ).get()
    }

    /// Returns the record of a Device's VoIP token.
    ///
    /// - Throws: ``EngineError/notFound(_:)``, also when it has none; ``EngineError/refused(_:)`` when the secret is
    ///   not the Device's.
    package func voIPRecord(of caller: DeviceCaller) async throws(EngineError) -> VoIPRecord {
        let found = try await stored(try await store.voIPRecord(of: caller))
        guard let record = try found.get() else { throw .notFound(.voIPToken) }
        return record
    }

    /// Removes a Device's VoIP token, if it has one.
    ///
    /// - Throws: ``EngineError/notFound(_:)``; ``EngineError/refused(_:)`` when the secret is not the Device's.
    package func removeVoIP(of caller: DeviceCaller) async throws(EngineError) {
        try await stored(try await store.removeVoIPToken(of: caller)).get()
    }
}
