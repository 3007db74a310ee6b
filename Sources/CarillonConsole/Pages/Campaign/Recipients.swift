import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The search for single recipients of a Campaign.
enum RecipientSearch {
    /// What is asked.
    struct Query: Hashable, Sendable {
        /// A User's id, a Device's id or a whole token; empty for the latest of an outcome.
        var text: String
        var outcome: Delivery.Outcome?

        init(_ fields: FormFields) {
            text = String(fields.text("q").trimmed.prefix(200))
            outcome = Delivery.Outcome(rawValue: fields.text("outcome"))
        }
    }

    struct Model: Sendable {
        var campaign: Campaign
        var query: Query
        var rows: [LoggedMessage]
        /// How many Devices the text names; 0 when nobody is found.
        var devices: Int
        /// Devices that are there and have no row: it did not come to them, or not yet.
        var without: [DeviceID]
    }

    /// Rows on the page.
    static let pageSize = 50
    private static let looked = 200

    /// Reads the rows.
    ///
    /// - Throws: ``EngineError/notFound(_:)`` when the App has no such Campaign.
    static func read(_ query: Query, of id: CampaignID, app: AppID, _ engine: Engine) async throws -> Model {
        let campaign = try await engine.campaigns.shown(id, within: app)
        var model = Model(campaign: campaign, query: query, rows: [], devices: 0, without: [])
        guard !query.text.isEmpty else {
            let all = MessageLogQuery(app: app, subject: .everybody, campaign: id)
            let page = try await engine.messageLog.page(all, cursor: nil, limit: looked)
            let rows = page.items.filter { row in query.outcome.map { $0 == row.outcome } ?? true }
            model.rows = Array(rows.prefix(pageSize))
            return model
        }
        var fields = FormFields()
        fields = fields.setting(["q": query.text])
        let devices = try await DeviceList.read(DeviceList.Query(fields), of: app, engine).devices.items
        model.devices = devices.count
        for device in devices {
            let own = MessageLogQuery(app: app, subject: .device(device.device), campaign: id)
            let rows = try await engine.messageLog.page(own, cursor: nil, limit: pageSize).items
            if rows.isEmpty { model.without.append(device.device) }
            model.rows += rows
        }
        return model
    }
}

/// The search as its template shows it.
struct RecipientsView: PageView {
    /// The life of one notification.
    struct Line: Hashable, Sendable {
        let lineDevice: String
        let lineDevicePath: String?
        let lineOutcome: PillView
        let lineReason: String?
        let lineWhy: String
        let steps: [Step]
    }

    /// One thing that happened, with its time.
    struct Step: Hashable, Sendable {
        let stepText: String
        let stepTime: TimeView
        let stepUTC: String
    }

    static let template = "recipients"

    let heading: String
    let campaignPath: String
    let campaignName: String
    let search: FieldView
    let outcome: SelectView
    let lines: [Line]
    let hasLines: Bool
    let notes: [String]
    let isSearch: Bool

    init(_ model: RecipientSearch.Model, _ look: Look) {
        let texts = look.texts
        heading = texts("recipients.title")
        campaignPath = AppPath(app: model.campaign.app).campaign(model.campaign.id)
        campaignName = CampaignText(look: look).name(model.campaign)
        let values = FormFields([("q", model.query.text), ("outcome", model.query.outcome?.rawValue ?? "")])
        let state = FormState(values: values)
        search = state.field("q", texts("recipients.search"), hint: texts("recipients.hint"), type: "search")
        let outcomes =
            [(value: "", text: texts("recipients.all"))]
            + Delivery.Outcome.allCases.map { (value: $0.rawValue, text: texts.word("outcome", $0.rawValue)) }
        outcome = state.select("outcome", texts("recipients.outcome"), outcomes)
        let paths = AppPath(app: model.campaign.app)
        lines = model.rows.map { Line($0, paths, look) }
        hasLines = !lines.isEmpty
        isSearch = !model.query.text.isEmpty
        var notes: [String] = []
        if isSearch, model.devices == 0 { notes.append(texts("recipients.nobody", ["text": model.query.text])) }
        notes += model.without.map { texts("recipients.without", ["device": $0.description]) }
        self.notes = notes
    }
}

extension RecipientsView.Line {
    fileprivate init(_ row: LoggedMessage, _ paths: AppPath, _ look: Look) {
        lineDevice = row.device?.description ?? look.texts("recipients.deleted")
        lineDevicePath = row.device.map(paths.device)
        lineOutcome = look.outcome(row.outcome)
        lineReason = row.reason
        lineWhy = row.reason.flatMap { look.meaning(of: $0, isSkip: row.outcome == .skipped) } ?? ""
        func step(_ key: String, _ time: Timestamp?, _ parameters: [String: String] = [:]) -> RecipientsView.Step? {
            time.map { time in
                RecipientsView.Step(
                    stepText: look.texts("recipients.step." + key, parameters),
                    stepTime: look.times.precise(time),
                    stepUTC: time.description
                )
            }
        }
        let answer = row.outcome == .skipped ? "skipped" : row.outcome == .accepted ? "accepted" : "failed"
        let happened = [
            step("matched", Timestamp(rawValue: row.occurrence.milliseconds)),
            step(answer, row.at, ["reason": row.reason ?? ""]), step("received", row.receivedAt),
            step("opened", row.openedAt), step("dismissed", row.dismissedAt), step("launched", row.launchedAt),
        ]
        steps =
            happened.compactMap(\.self)
            + (row.actions ?? []).compactMap { step("action", $0.at, ["action": $0.action]) }
    }
}

extension TimeText {
    /// Date and time with milliseconds: 2026-11-21 14:05:07.123.
    func precise(_ time: Timestamp) -> TimeView {
        let exact = exact(time)
        let rest = time.rawValue % 1_000
        let digits = String(1_000 + (rest < 0 ? rest + 1_000 : rest)).dropFirst()
        return TimeView(iso: exact.iso, text: "\(exact.text).\(digits)")
    }
}
