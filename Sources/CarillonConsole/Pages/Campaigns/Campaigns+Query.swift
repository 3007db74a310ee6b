import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// What the list of Campaigns shows: the query of `/apps/{app}/campaigns`.
struct CampaignsQuery: Hashable, Sendable {
    /// A tab, which joins states.
    enum Tab: String, Hashable, Sendable, CaseIterable {
        case all
        case drafts
        case scheduled
        case sending
        case sent
        case stopped

        /// The states of its Campaigns; empty for all.
        var states: Set<Campaign.State> {
            switch self {
            case .all: []
            case .drafts: [.draft, .needsApproval, .refused, .expired]
            case .scheduled: [.scheduled, .held]
            // Also what waits for an Operator: it is not over.
            case .sending: [.sending, .paused, .cancelling]
            case .sent: [.sent]
            case .stopped: [.cancelled]
            }
        }
    }

    /// The rows of a page.
    static let pageSize = 50
    /// The maximum length of a search text in characters.
    static let maximumText = 200

    var tab = Tab.all
    /// A part of a name, title or body, or a whole id; empty for all.
    var text = ""
    /// Only older Campaigns than this.
    var after: CampaignID?

    /// Reads the query; what is malformed counts as missing.
    init(_ fields: FormFields) {
        tab = fields["state"].flatMap(Tab.init(rawValue:)) ?? .all
        text = String(fields.text("q").trimmed.prefix(Self.maximumText))
        after = fields["after"].flatMap { CampaignID($0) }
    }

    /// The query of the same page; ``init(_:)`` reads it.
    var fields: FormFields {
        FormFields().setting([
            "state": tab == .all ? nil : tab.rawValue, "q": text.isEmpty ? nil : text, "after": after?.description,
        ])
    }

    /// The same tab and text from its first page on, or another tab.
    func beginning(_ tab: Tab? = nil) -> CampaignsQuery {
        var query = self
        query.tab = tab ?? self.tab
        query.after = nil
        return query
    }

    /// The same rows from a cursor on.
    func continuing(after cursor: String) -> CampaignsQuery {
        var query = self
        query.after = CampaignID(cursor)
        return query
    }

    /// Whether it leaves anything out.
    var isFiltered: Bool { tab != .all || !text.isEmpty }

    /// The Campaign whose whole id was searched for.
    var wanted: CampaignID? { CampaignID(text) }

    /// The engine's form.
    var filter: CampaignFilter {
        var filter = CampaignFilter()
        filter.states = tab.states
        if !text.isEmpty { filter.text = text }
        return filter
    }

    /// Reads a page of an App's Campaigns, the newest first.
    ///
    /// - Throws: ``EngineError``.
    func read(of app: AppID, _ engine: Engine) async throws -> Page<Campaign> {
        if let wanted {
            do throws(EngineError) {
                return Page(items: [try await engine.campaigns.shown(wanted, within: app)], nextCursor: nil)
            } catch {
                guard error.isNotFound else { throw error }
                return Page(items: [], nextCursor: nil)
            }
        }
        return try await engine.campaigns.list(app: app, after: after, limit: Self.pageSize, filter)
    }
}
