package import CarillonModel
package import CarillonOperatorModel

/// Campaigns by their Occurrences, whose ids the payloads have.
extension Campaigns {
    /// Returns the Campaign of an Occurrence.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such Occurrence.
    package func campaign(of occurrence: OccurrenceID, app: AppID) async throws(EngineError) -> Campaign {
        let id = try await stored(try await store.campaign(of: occurrence, app: app))
        guard let id else { throw .notFound(.campaign) }
        return try await shown(id, within: app)
    }

    /// Whether a failure's reason is the device token: invalid, malformed or another app's.
    package func blamesToken(_ reason: String) -> Bool { sender.blamesToken(FailureReason(rawValue: reason)) }
}
