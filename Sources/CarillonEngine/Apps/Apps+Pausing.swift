package import CarillonModel
package import CarillonOperatorModel

extension Apps {
    /// Pauses all sending of an App: no batch of any of its Campaigns, test sends and Users' messages is sent, on no
    /// node, until it is resumed.
    ///
    /// Sent batches are awaited and counted. Campaigns stay in their states, and new ones are accepted and wait. Pausing
    /// again changes nothing.
    ///
    /// - Parameters:
    ///   - id: The App.
    ///   - actor: The Operator or API key that pauses it.
    /// - Returns: The App.
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func pauseSending(_ id: AppID, by actor: String?) async throws(EngineError) -> App {
        _ = try await app(id)
        // Signal first, then write the store: a dispatcher may stop early, but none continues late.
        signals.pause(id)
        do throws(EngineError) {
            let app = try await stored(try await store.setSendingPaused(id, since: clock.now(), by: actor))
            guard let app else { throw EngineError.notFound(.app) }
            signals.confirmPause(of: id)
            return shown(app)
        } catch {
            signals.allow(id)
            throw error
        }
    }

    /// Continues the sending of an App; resuming again changes nothing.
    ///
    /// A Campaign without a schedule whose time was long ago does not begin by itself: an alarm pauses it. Of the firings
    /// of a schedule only the last begins.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when there is no such App.
    package func resumeSending(_ id: AppID) async throws(EngineError) -> App {
        let app = try await stored(try await store.setSendingPaused(id, since: nil, by: nil))
        guard let app else { throw .notFound(.app) }
        signals.allow(id)
        signals.announceWork()
        return shown(app)
    }
}
