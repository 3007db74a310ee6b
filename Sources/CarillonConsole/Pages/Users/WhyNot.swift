import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// Why a User did not get a Campaign, in one sentence.
enum WhyNot {
    /// What is known.
    enum Answer: Hashable, Sendable {
        /// There is no such Campaign in the App.
        case unknownCampaign
        /// Nothing of it was sent yet.
        case notYet
        /// It was for others, or the User had no Device then.
        case notMatched
        /// Apple accepted it.
        case accepted(LoggedMessage)
        /// A rule or Apple prevented it; the last outcome.
        case prevented(LoggedMessage)
    }

    private static let maximumPages = 20

    /// Finds the answer.
    ///
    /// - Parameters:
    ///   - text: The Campaign's id, as somebody typed it.
    ///   - user: The User.
    ///   - app: The App.
    ///   - engine: The services.
    /// - Returns: The answer; of several Devices' outcomes an accepted one, else the latest.
    /// - Throws: ``EngineError``.
    static func answer(_ text: String, _ user: UserID, of app: AppID, _ engine: Engine) async throws -> Answer {
        guard let id = CampaignID(text.trimmed), let campaign = try await campaign(id, app, engine) else {
            return .unknownCampaign
        }
        var (cursor, last): (String?, LoggedMessage?) = (nil, nil)
        for _ in 0..<maximumPages {
            let query = MessageLogQuery(app: app, subject: .user(user), campaign: id)
            let page = try await engine.messageLog.page(query, cursor: cursor, limit: MessageLog.maximumPage)
            if let accepted = page.items.first(where: { $0.outcome == .accepted }) { return .accepted(accepted) }
            last = last ?? page.items.first
            guard page.nextCursor != nil else { break }
            cursor = page.nextCursor
        }
        if let last { return .prevented(last) }
        let isOver = [.sent, .cancelled, .cancelling].contains(campaign.state)
        return isOver ? .notMatched : .notYet
    }

    private static func campaign(_ id: CampaignID, _ app: AppID, _ engine: Engine) async throws -> Campaign? {
        do throws(EngineError) {
            return try await engine.campaigns.campaign(id, within: app)
        } catch {
            guard error.isNotFound else { throw error }
            return nil
        }
    }
}

extension WhyNot.Answer {
    /// When it was decided; `nil` when nothing was.
    var at: Timestamp? {
        switch self {
        case .unknownCampaign, .notYet, .notMatched: nil
        case .accepted(let message), .prevented(let message): message.at
        }
    }

    /// The answer in a sentence.
    func sentence(_ look: Look) -> String {
        let texts = look.texts
        switch self {
        case .unknownCampaign: return texts("why.unknownCampaign")
        case .notYet: return texts("why.notYet")
        case .notMatched: return texts("why.notMatched")
        case .accepted: return texts("why.accepted")
        case .prevented(let message):
            let word = message.reason ?? message.outcome.rawValue
            let known: DeliveryReason = message.outcome == .skipped ? .skip(word) : .failure(word)
            let meaning = known.texts.map { texts.word("reason.meaning", $0) } ?? word
            let key = message.outcome == .skipped ? "why.skipped" : "why.failed"
            return texts(key, ["reason": meaning, "word": word])
        }
    }
}
