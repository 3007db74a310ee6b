import CarillonModel
import CarillonOperatorModel

/// What a confirmation asks of the content, besides what stands in the way of any send.
extension Campaigns {
    /// Checks that nothing blocks a draft, and that the warnings about it were ticked.
    ///
    /// - Parameters:
    ///   - draft: The draft.
    ///   - figures: Whom it reaches.
    ///   - ticked: The warnings that were ticked.
    /// - Throws: ``EngineError/invalidFields(_:)`` for those that were not.
    func requireChecks(of draft: Campaign, _ figures: ReachFigures, ticked: Set<String>) async throws(EngineError) {
        let found = try await checks(of: draft, figures).filter { $0.blocks(ticked) }
        let problems = found.map { check in
            FieldError(field: "checks." + (check.tick ?? check.kind.rawValue), problem: "must be put right or accepted")
        }
        guard problems.isEmpty else { throw .problems(problems) }
    }
}
