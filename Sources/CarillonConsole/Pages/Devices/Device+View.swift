import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// The page of a Device as its template shows it.
struct DeviceView: PageView {
    static let template = "device"

    /// A token.
    struct Token: Hashable, Sendable {
        let masked: String
        let pushType: String
        let tokenRegistered: TimeView
    }

    /// One kind of consent.
    struct ConsentRow: Hashable, Sendable {
        let consentName: String
        let consentState: PillView
        let consentSince: TimeView?
    }

    /// A decision of the person.
    struct ConsentChangeRow: Hashable, Sendable {
        let changedAt: TimeView
        let changedBy: String
        let consentsAfter: String
    }

    let heading: String
    let deviceID: String
    let tokenPill: PillView
    let facts: [FactView]
    let tokens: [Token]
    let hasTokens: Bool
    let consents: [ConsentRow]
    let changes: [ConsentChangeRow]
    let hasChanges: Bool
    let tags: [String]
    let hasTags: Bool
    let log: MessagesView
}

extension DeviceView {
    /// Creates the page.
    init(_ model: DevicePage.Model, _ look: Look) {
        let (device, words) = (model.device, DeviceText(look: look))
        let paths = AppPath(app: device.app)
        heading = look.texts("device.heading")
        deviceID = device.device.description
        tokenPill = words.token(device.tokenState)
        facts = words.facts(device)
        tokens = model.tokens.map { token in
            Token(
                masked: DeviceText.masked(token.token),
                pushType: token.pushType.rawValue,
                tokenRegistered: look.times.table(token.registeredAt)
            )
        }
        hasTokens = !tokens.isEmpty
        consents = words.rows(of: device)
        changes = model.consents.changes.prefix(DevicePage.pageSize).map { change in
            ConsentChangeRow(
                changedAt: look.times.table(change.at),
                changedBy: look.texts.word("consent.source", change.source.rawValue),
                consentsAfter: words.consents(change.new)
            )
        }
        hasChanges = !changes.isEmpty
        tags = model.tags.map(\.name)
        hasTags = !tags.isEmpty
        log = MessagesView(
            model.messages,
            at: paths.device(device.device),
            after: model.after,
            of: device.app,
            look
        )
    }
}

extension DeviceText {
    fileprivate func facts(_ device: DeviceRecord) -> [FactView] {
        func label(_ name: String) -> String { look.texts.word("device.fact", name) }
        func text(_ name: String, _ value: String?) -> FactView? { value.map { FactView(label(name), $0) } }
        let facts: [FactView?] = [
            device.user.map { FactView(label("user"), $0.rawValue, path: AppPath(app: device.app).user($0)) },
            FactView(label("environment"), code: device.pushType.rawValue),
            text("tenant", device.tenant),
            text("model", device.model),
            text("system", device.osVersion),
            text("appVersion", device.appVersion),
            text("sdkVersion", device.sdkVersion),
            text("language", device.language),
            text("country", device.country),
            text("zone", device.timeZone),
            device.permission.map { FactView(label("permission"), look.texts.word("permission", $0.rawValue)) },
            FactView(label("categories"), categories(device.categories)),
            FactView(label("created"), look.times.table(device.createdAt)),
            FactView(label("registered"), look.times.table(device.registeredAt)),
        ]
        return facts.compactMap(\.self)
    }

    fileprivate func rows(of device: DeviceRecord) -> [DeviceView.ConsentRow] {
        let kinds = [
            ("notifications", device.consent.notifications, device.consentTimes.notifications),
            ("ads", device.consent.ads, device.consentTimes.ads),
            ("nightAds", device.consent.nightAds, device.consentTimes.nightAds),
        ]
        return kinds.map { name, isGiven, since in
            DeviceView.ConsentRow(
                consentName: look.texts.word("consent", name),
                consentState: PillView(
                    words: look.texts(isGiven ? "consent.yes" : "consent.no"),
                    colour: isGiven ? "good" : "muted"
                ),
                consentSince: look.table(since)
            )
        }
    }
}
