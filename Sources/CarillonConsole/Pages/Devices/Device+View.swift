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
        /// Where an admin asks for all of it; `nil` for others.
        let wholePath: String?
        /// Where an admin drops it; `nil` for others.
        let dropPath: String?
        let tokenRegistered: TimeView
    }

    /// One kind of consent.
    struct ConsentRow: Hashable, Sendable {
        let consentName: String
        let consentState: PillView
        let consentSince: TimeView?
        /// Where the decision was made; `nil` when it is not known.
        let consentFrom: String?
    }

    let heading: String
    let deviceID: String
    let tokenPill: PillView
    /// The screen of a simulated phone.
    let phonePath: String?
    let facts: [FactView]
    let tokens: [Token]
    let hasTokens: Bool
    let consents: [ConsentRow]
    let tags: [String]
    let hasTags: Bool
    /// Where the tags of its User are changed; `nil` for who may not, or without a User.
    let editPath: String?
    /// Where a test is sent to it; `nil` for who may not.
    let testPath: String?
    /// Where it is erased; `nil` for who may not.
    let forgetPath: String?
    let timeline: TimelineView
}

extension DeviceView {
    /// Creates the page.
    ///
    /// - Parameters:
    ///   - model: What it shows.
    ///   - role: The Operator's role, which decides what is offered.
    ///   - look: The words of the page.
    init(_ model: DevicePage.Model, role: OperatorRole, _ look: Look) {
        let (device, words) = (model.device, DeviceText(look: look))
        let paths = AppPath(app: device.app)
        let path = paths.device(device.device)
        heading = look.texts("device.heading")
        deviceID = device.device.description
        tokenPill = words.token(device.tokenState)
        phonePath = device.model == SimulatedPhones.model ? PhonePage.path(device.device, of: device.app) : nil
        facts = words.facts(device)
        tokens = model.tokens.map { token in
            Token(
                masked: DeviceText.masked(token.token),
                pushType: token.pushType.rawValue,
                wholePath: role >= .admin ? path + "/token" : nil,
                dropPath: role >= .admin ? "\(path)/drop-token?type=\(token.pushType.rawValue)" : nil,
                tokenRegistered: look.times.table(token.registeredAt)
            )
        }
        hasTokens = !tokens.isEmpty
        consents = words.rows(of: device, model.consents.changes)
        tags = model.tags.map(\.name)
        hasTags = !tags.isEmpty
        editPath = role >= .editor ? device.user.map { paths.user($0) + "/edit" } : nil
        testPath = role >= .editor ? path + "/test" : nil
        forgetPath = role >= .admin ? path + "/forget" : nil
        timeline = TimelineView(model.timeline, at: path, of: device.app, showsDevices: false, look)
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

    /// The three kinds of consent; the last change of each says where it came from.
    fileprivate func rows(of device: DeviceRecord, _ changes: [ConsentChange]) -> [DeviceView.ConsentRow] {
        let (consent, times) = (device.consent, device.consentTimes)
        let kinds: [(String, Bool, Timestamp?, (Consent) -> Bool)] = [
            ("notifications", consent.notifications, times.notifications, { $0.notifications }),
            ("ads", consent.ads, times.ads, { $0.ads }),
            ("nightAds", consent.nightAds, times.nightAds, { $0.nightAds }),
        ]
        return kinds.map { name, isGiven, since, value in
            let last = changes.first { change in change.old.map { value($0) != value(change.new) } ?? true }
            return DeviceView.ConsentRow(
                consentName: look.texts.word("consent", name),
                consentState: PillView(
                    words: look.texts(isGiven ? "consent.yes" : "consent.no"),
                    colour: isGiven ? "good" : "muted"
                ),
                consentSince: look.table(since),
                consentFrom: last.map { look.texts.word("consent.source", $0.source.rawValue) }
            )
        }
    }
}
