import CarillonContentSets
import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Foundation
import Logging
import StoreErrors

/// What alerts about single rows and about bundles share.
extension ContentAlerts {
    /// - Returns: `nil` when the set is gone.
    func contentSet(_ name: String, _ app: AppID) async throws(StoreError) -> ContentSet? {
        do throws(ContentSetError) {
            return try await sets.set(name, app: app)
        } catch {
            if case .store(let failure) = error { throw failure }
            return nil
        }
    }

    /// A Campaign's request without those whom it is for.
    func request(_ alert: ContentAlert, _ template: String, _ name: String) -> CampaignRequest {
        var request = CampaignRequest(template: TemplateID(template))
        request.name = String("Content \(name)".prefix(200))
        request.isAd = alert.settings.isAd
        request.statisticsID = alert.settings.statisticsID.flatMap { StatisticsID($0) }
        return request
    }

    func succeed(_ alert: ContentAlert, _ batch: ContentAlert.Batch) async {
        figures.countAlertCampaign()
        let now = clock.now()
        await show(alert) { state in state.succeed(batch, at: now) }
    }

    /// All of a batch was gone through.
    func end(_ batch: ContentAlert.Batch, of alert: ContentAlert) async { await show(alert) { $0.end(batch) } }

    /// Changes a state that is only shown: the Campaigns are there without it.
    private func show(
        _ alert: ContentAlert,
        _ change: @escaping @Sendable (inout ContentAlert.State) -> Void
    ) async {
        do throws(StoreError) {
            try await store.updateState(of: alert, change)
        } catch {
            logger.info("The store failed; an alert's state is old", metadata: ["carillon.error": "\(error)"])
        }
    }

    /// Notes why there is no Campaign of some rows; errors of the store are thrown, and the rows stay for later.
    func note(
        _ error: EngineError,
        _ alert: ContentAlert,
        _ batch: ContentAlert.Batch
    ) async throws(StoreError) {
        if case .store(let failure) = error { throw failure }
        try await fail(alert, batch, error.sentence)
    }

    func fail(_ alert: ContentAlert, _ batch: ContentAlert.Batch, _ problem: String) async throws(StoreError) {
        figures.countAlertFailure()
        logger.warning(
            "There is no alert about new rows of a content set",
            metadata: [
                "carillon.app": "\(alert.app)", "carillon.content-set": "\(alert.set)",
                "carillon.table": "\(alert.table)", "carillon.problem": "\(problem)",
            ]
        )
        let now = clock.now()
        try await store.updateState(of: alert) { state in state.fail(problem, batch, at: now) }
    }
}

extension EngineError {
    /// Why a Campaign is refused, as a whole sentence.
    fileprivate var sentence: String {
        switch self {
        case .invalid(let error): "The Campaign is refused: \(error.field) \(error.problem)."
        case .invalidFields(let errors):
            "The Campaign is refused: \(errors.prefix(3).map { "\($0.field) \($0.problem)" }.joined(separator: "; "))."
        case .notFound(let subject): "The App has no such \(subject.rawValue)."
        case .conflict(let sentence): sentence
        case .refused, .account, .operators: "The App does not allow the Campaign."
        case .store: "The store does not answer."
        }
    }
}

extension CampaignRequest {
    /// A request with the message of a template.
    init(template: TemplateID?) {
        self.init(audience: .all, message: Message(content: [:]))
        self.template = template
    }
}
