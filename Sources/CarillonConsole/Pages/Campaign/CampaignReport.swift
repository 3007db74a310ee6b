import CarillonModel
import CarillonOperatorModel

/// The page of a Campaign for paper: the same numbers, with all tables open and no navigation.
struct CampaignReportView: PageView {
    static let template = "campaign-report"

    let heading: String
    let campaign: CampaignView
    /// Who printed what and when; it is the foot of the page.
    let printedBy: String
    let backPath: String
    let isPrinted = true

    init(_ campaign: CampaignView, of app: App, by person: Operator, at now: Timestamp, _ look: Look) {
        heading = campaign.heading
        self.campaign = campaign
        printedBy = look.texts(
            "report.foot",
            [
                "app": app.name, "name": campaign.heading, "person": person.displayName,
                "time": look.times.sentence(now).text, "zone": look.times.zoneText(at: now),
            ]
        )
        backPath = campaign.selfPath
    }
}
