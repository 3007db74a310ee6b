import CarillonModel
import CarillonOperatorModel

/// A Device in a list.
struct DeviceRow: Hashable, Sendable {
    let deviceName: String
    let devicePath: String
    let userName: String?
    let userPath: String?
    let modelName: String
    let appVersion: String
    let language: String
    let consents: String
    let tokenState: PillView
    let registered: TimeView

    init(_ device: DeviceRecord, _ look: Look) {
        let paths = AppPath(app: device.app)
        deviceName = device.device.description.shortened()
        devicePath = paths.device(device.device)
        userName = device.user?.rawValue
        userPath = device.user.map(paths.user)
        modelName = device.model ?? ""
        appVersion = device.appVersion ?? ""
        language = device.language ?? ""
        consents = DeviceText(look: look).consents(device.consent)
        tokenState = DeviceText(look: look).token(device.tokenState)
        registered = look.times.table(device.registeredAt)
    }
}

/// The parts of a Device in words.
struct DeviceText: Sendable {
    let look: Look

    /// What the person agreed to, in one cell.
    func consents(_ consent: Consent) -> String {
        let given = [
            (consent.notifications, "notifications"), (consent.ads, "ads"), (consent.nightAds, "nightAds"),
        ].filter { $0.0 }.map { look.texts.word("consent", $0.1) }
        return given.isEmpty ? look.texts("consent.none") : look.list(given)
    }

    func token(_ state: DeviceRecord.TokenState) -> PillView {
        let colour =
            switch state {
            case .active: "good"
            case .quarantined: "warn"
            case .none, .dropped, .expired: "muted"
            }
        return PillView(words: look.texts.word("token.state", state.rawValue), colour: colour)
    }

    /// The first and last characters of a token; less of a short one, of which they would be most.
    static func masked(_ token: DeviceToken) -> String {
        let text = token.hexadecimal
        let ends = text.count >= 32 ? 6 : 2
        return text.shortened(ends: ends)
    }

    /// Categories by dimension.
    func categories(_ categories: DeviceCategories) -> String {
        look.list(categories.labels.map { $0.dimension.isEmpty ? $0.label : "\($0.dimension): \($0.label)" })
    }
}

/// The list of an App's Devices as its template shows it.
struct DevicesView: PageView {
    static let template = "devices"

    /// A User whose id begins with the search text.
    struct UserRow: Hashable, Sendable {
        let foundUser: String
        let foundPath: String
        let deviceCount: String
    }

    let heading: String
    let search: String
    let listPath: String
    let rows: [DeviceRow]
    let hasRows: Bool
    let users: [UserRow]
    let hasUsers: Bool
    let paging: PagingView?
    let isFirstUse: Bool
    let hasNoMatch: Bool

    init(_ model: DeviceList.Model, of app: AppID, _ look: Look) {
        let (paths, query) = (AppPath(app: app), model.query)
        heading = look.texts("devices.heading")
        search = query.text
        listPath = paths.devices
        rows = model.devices.items.map { DeviceRow($0, look) }
        hasRows = !rows.isEmpty
        users = model.users.map { user in
            UserRow(
                foundUser: user.user.rawValue,
                foundPath: paths.user(user.user),
                deviceCount: look.numbers.full(user.devices)
            )
        }
        hasUsers = !users.isEmpty
        paging = PagingView(isFirst: query.after == nil, next: model.devices.nextCursor, at: paths.devices) {
            query.continuing(after: $0).fields
        }
        isFirstUse = rows.isEmpty && query.text.isEmpty && query.after == nil
        hasNoMatch = rows.isEmpty && users.isEmpty && !isFirstUse
    }
}
