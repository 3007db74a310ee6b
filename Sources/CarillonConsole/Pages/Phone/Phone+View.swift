import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page of a simulated phone as its template shows it.
struct SimulatedPhoneView: PageView {
    static let template = "phone"

    /// A notification on the phone's screen.
    struct Note: Hashable, Sendable {
        let noteTitle: String?
        let noteSubtitle: String?
        let noteBody: String?
        let noteLanguage: String?
        let noteButtons: [String]
        let noteAt: TimeView
        let noteOpened: TimeView?
        let noteOccurrence: String
        /// Where a person opens it; `nil` when it was opened, or for who may not.
        let openPath: String?
        let noteCampaign: String
        let isSilent: Bool
    }

    let heading: String
    let deviceID: String
    let devicePath: String
    let appName: String
    let clock: TimeView
    let notes: [Note]
    let hasNotes: Bool
    let testPath: String?
    let campaignsPath: String
    let selfPath: String
    let facts: [FactView]

    init(_ model: PhonePage.Model, mayTest: Bool, _ look: Look) {
        let paths = AppPath(app: model.app.id)
        let path = PhonePage.path(model.device.device, of: model.app.id)
        heading = look.texts("phone.heading")
        deviceID = model.device.device.description
        devicePath = paths.device(model.device.device)
        appName = model.app.name
        clock = look.times.clock(model.now)
        notes = model.shown.map { Note($0, at: path, mayOpen: mayTest, look) }
        hasNotes = !notes.isEmpty
        testPath = mayTest ? path + "/test" : nil
        campaignsPath = paths.campaigns
        selfPath = path
        facts = [
            model.device.language.map { FactView(look.texts("phone.language"), code: $0) },
            model.device.timeZone.map { FactView(look.texts("phone.zone"), code: $0) },
        ].compactMap(\.self)
    }
}

extension SimulatedPhoneView.Note {
    fileprivate init(_ shown: PhonePage.Shown, at path: String, mayOpen: Bool, _ look: Look) {
        let (content, message) = (shown.content, shown.message)
        noteTitle = content?.title
        noteSubtitle = content?.subtitle
        noteBody = content?.body
        noteLanguage = shown.language == Message.defaultLanguage ? nil : shown.language
        noteButtons = (content?.buttons ?? []).map(\.title)
        noteAt = look.times.exact(message.at)
        noteOpened = message.openedAt.map { look.times.exact($0) }
        noteOccurrence = message.occurrence.description
        openPath = mayOpen && message.openedAt == nil && content != nil ? path + "/open" : nil
        noteCampaign = AppPath(app: shown.campaign.app).campaign(message.campaign)
        isSilent = content == nil
    }
}
