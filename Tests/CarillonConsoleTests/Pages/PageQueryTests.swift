import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import Testing

@testable import CarillonConsole

/// Queries of lists.
struct PageQueryTests {
    @Test("K-75 filters are in the query, and reading it again gives the same filters")
    func roundTrips() throws {
        var campaigns = CampaignsQuery(FormFields())
        (campaigns.tab, campaigns.text) = (.stopped, "展覽 & <b>=1")
        campaigns.after = CampaignID(rawValue: 77)
        #expect(CampaignsQuery(campaigns.fields) == campaigns)
        let text = Array(campaigns.fields.encoded.utf8)
        #expect(CampaignsQuery(try FormFields(urlEncoded: text)) == campaigns)

        var devices = DeviceList.Query(FormFields([("q", " u 1 ")]))
        #expect(devices.text == "u 1")
        devices = devices.continuing(after: "4g")
        #expect(DeviceList.Query(devices.fields) == devices)

        var users = UserList.Query(FormFields([("q", "ユーザー")]))
        users = users.continuing(after: try #require(UserID(rawValue: "ユーザー/1")).cursor)
        #expect(UserList.Query(users.fields) == users)

        let audit = AuditPage.Query(
            FormFields([("actor", "key_1"), ("from", "2026-11-01"), ("until", "2026-11-30"), ("app", "nonsense")])
        )
        #expect(audit.app == nil)
        #expect(AuditPage.Query(audit.fields) == audit)
    }

    @Test("K-75 what is malformed in a query counts as missing")
    func ignoresNonsense() {
        let query = CampaignsQuery(FormFields([("state", "nonsense"), ("after", "cmp_x"), ("q", "  ")]))

        #expect(query == CampaignsQuery(FormFields()))
        #expect(!query.isFiltered)
        #expect(query.fields.isEmpty)
        #expect(StatisticsPage.Query(FormFields([("days", "100000")])).range == .month)
    }

    @Test("Every state of a Campaign is on exactly one tab besides the one of all")
    func tabsCoverStates() {
        for state in Campaign.State.allCases {
            #expect(CampaignsQuery.Tab.allCases.filter { $0.states.contains(state) }.count == 1, "\(state)")
        }
    }

    @Test("The days of the audit log's filter are those of the Operator's zone")
    func auditDays() throws {
        let query = AuditPage.Query(FormFields([("from", "2026-11-26"), ("until", "2026-11-26")]))
        let question = query.question(zone: "Asia/Taipei")
        let (first, end) = (
            try #require(Timestamp("2026-11-25T16:00:00Z")), try #require(Timestamp("2026-11-26T16:00:00Z"))
        )

        #expect(question.first.milliseconds == first.rawValue)
        #expect(question.before.milliseconds == end.rawValue)
    }

    @Test("K-26 of a token its page has the first and last characters alone")
    func masksTokens() throws {
        let long = try #require(DeviceToken(bytes: (0..<32).map { UInt8($0) }))
        let short = try #require(DeviceToken(bytes: [1, 2, 3, 4, 5, 6, 7, 8]))

        #expect(DeviceText.masked(long) == "000102…1d1e1f")
        #expect(DeviceText.masked(short) == "01…08")
    }
}
