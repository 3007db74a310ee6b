package import CarillonModel

/// A launch or another action that a phone without a Device secret reports, by its token and the push's id.
package struct LaunchReport: Hashable, Sendable {
    package var token: DeviceToken
    package var occurrence: OccurrenceID
    /// The action's key; a launch when missing.
    package var action: String?
    package var latitude: Double?
    package var longitude: Double?

    package init(token: DeviceToken, occurrence: OccurrenceID) {
        self.token = token
        self.occurrence = occurrence
    }
}

extension Events {
    /// Counts a launch that is reported without a receipt.
    ///
    /// Token and push id together are what only the phone has that got the push, as a receipt is: it counts only when
    /// the push service accepted this push for this token. Devices that have a secret report with their receipts.
    ///
    /// - Parameters:
    ///   - launch: The report.
    ///   - app: The App.
    /// - Returns: Whether it was counted now; false when it was before.
    /// - Throws: ``EngineError/notFound(_:)`` when the push was not sent to a Device with this token and without a
    ///   secret; ``EngineError/conflict(_:)`` for a push that is too old, and for an invalid position or action.
    package func record(_ launch: LaunchReport, app: AppID) async throws(EngineError) -> Bool {
        let receiver = try await stored(
            try await store.receiver(of: launch.occurrence, token: launch.token, app: app)
        )
        guard let receiver else { throw .notFound(.occurrence) }
        let receipt = try await apps.receiptKey(for: app).receipt(occurrence: launch.occurrence, device: receiver)
        var event = Event(.launched, occurrence: launch.occurrence, receipt: receipt, at: clock.now())
        event.action = launch.action
        (event.latitude, event.longitude) = (launch.latitude, launch.longitude)
        let answer = try await record(app: app, [event])
        if let rejection = answer.rejected.first { throw .conflict("The launch is refused: \(rejection.problem).") }
        return answer.counted == 1
    }
}
