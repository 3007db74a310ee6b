package import CarillonModel

/// The token for incoming calls, apart from the one for notifications.
extension Devices {
    /// Takes a Device's token for calls; the same again changes nothing but the time.
    ///
    /// It needs no consent: a call is answered or refused by the person. A Device that registers another one's token
    /// takes it over.
    ///
    /// - Throws: ``EngineError/notFound(_:)``, ``EngineError/refused(_:)`` for another secret than the Device's.
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

    /// What became of a Device's token for calls.
    ///
    /// - Throws: ``EngineError/notFound(_:)``, also when it has none, ``EngineError/refused(_:)`` for another secret
    ///   than the Device's.
    package func voIPRecord(of caller: DeviceCaller) async throws(EngineError) -> VoIPRecord {
        let found = try await stored(try await store.voIPRecord(of: caller))
        guard let record = try found.get() else { throw .notFound(.voIPToken) }
        return record
    }

    /// Takes a Device's token for calls away, if it has one.
    ///
    /// - Throws: ``EngineError/notFound(_:)``, ``EngineError/refused(_:)`` for another secret than the Device's.
    package func removeVoIP(of caller: DeviceCaller) async throws(EngineError) {
        try await stored(try await store.removeVoIPToken(of: caller)).get()
    }
}
