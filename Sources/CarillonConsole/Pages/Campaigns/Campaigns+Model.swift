import CarillonModel
import CarillonOperatorModel

/// The list of an App's Campaigns.
struct CampaignsView: PageView, Hashable {
    static let template = "campaigns"

    /// One Campaign.
    struct Row: Hashable, Sendable {
        let name: String
        let path: String
        let state: PillView
        let kind: String
        let audience: String
        let created: TimeView
        let begins: TimeView?
        let ended: TimeView?
    }

    let heading: String
    let tabs: [TabView]
    let search: String
    /// The tab of the search, for the form; `nil` for all.
    let tab: String?
    let listPath: String
    let rows: [Row]
    let hasRows: Bool
    let paging: PagingView?
    /// Whether the App has no Campaign at all.
    let isFirstUse: Bool
    /// Whether nothing matches, and there is no more to look at.
    let hasNoMatch: Bool
    /// Whether nothing matches among the Campaigns that were looked at, and there are older ones.
    let isSparse: Bool
    /// Where a new draft is made; `nil` for who may not.
    let newCampaignPath: String?
}

extension CampaignsView {
    /// Creates the list.
    ///
    /// - Parameters:
    ///   - campaigns: A page of the engine's list.
    ///   - query: The query that found it.
    ///   - app: The App.
    ///   - mayEdit: Whether the Operator may make drafts.
    ///   - look: The words of the page.
    init(_ campaigns: Page<Campaign>, _ query: CampaignsQuery, of app: AppID, mayEdit: Bool, _ look: Look) {
        let (paths, words) = (AppPath(app: app), CampaignText(look: look))
        heading = look.texts("campaigns.heading")
        tabs = CampaignsQuery.Tab.allCases.map { tab in
            TabView(
                words: look.texts.word("campaigns.tab", tab.rawValue),
                path: paths.campaigns(query.beginning(tab)),
                isCurrent: tab == query.tab
            )
        }
        search = query.text
        tab = query.tab == .all ? nil : query.tab.rawValue
        listPath = paths.campaigns
        rows = campaigns.items.map { campaign in
            Row(
                name: words.name(campaign),
                path: paths.campaign(campaign.id),
                state: words.state(campaign),
                kind: words.kind(campaign),
                audience: words.audience(campaign.audience),
                created: look.times.table(campaign.createdAt),
                begins: look.table(words.beginning(campaign)),
                ended: look.table(campaign.finishedAt)
            )
        }
        hasRows = !rows.isEmpty
        paging = PagingView(
            newest: query.after.map { _ in paths.campaigns(query.beginning()) },
            older: campaigns.nextCursor.map { paths.campaigns(query.continuing(after: $0)) }
        )
        isFirstUse = rows.isEmpty && !query.isFiltered && query.after == nil
        hasNoMatch = rows.isEmpty && !isFirstUse && campaigns.nextCursor == nil
        newCampaignPath = mayEdit ? paths.campaigns : nil
        isSparse = rows.isEmpty && campaigns.nextCursor != nil
    }
}
