import CarillonModel
import CarillonOperatorModel
import CarillonSQL
import CarillonStore
import NIOConcurrencyHelpers
import TestStores

@testable import CarillonEngine

/// A number of Devices that a test sets.
final class FixedReach: CampaignReach {
    private let number: NIOLockedValueBox<Int>

    init(_ number: Int) { self.number = NIOLockedValueBox(number) }

    func set(_ new: Int) { number.withLockedValue { $0 = new } }

    func reach(of campaign: Campaign) async throws(EngineError) -> Int { number.withLockedValue { $0 } }

    func figures(of campaign: Campaign) async throws(EngineError) -> ReachFigures {
        var figures = ReachFigures()
        figures.devices = try await reach(of: campaign)
        return figures
    }
}

/// An App with three Devices, two Operators who may send its Campaigns, and a reach that the test sets.
struct GuardWorld: Sendable {
    static let author = OperatorID(rawValue: 1)
    static let second = OperatorID(rawValue: 2)

    let world: DeliveryWorld
    let reach: FixedReach

    init(reach: Int, senders: [OperatorID] = [author, second], place: TestPlace? = nil) async throws {
        self.init(try await DeliveryWorld(place: place), reach: reach)
        try await world.addDevices(3)
        for sender in senders { try await addOperator(sender, .sender) }
    }

    /// The same App and store after a restart.
    init(_ world: DeliveryWorld, reach: Int) {
        self.world = world
        self.reach = FixedReach(reach)
    }

    var app: AppID { world.app }

    var campaigns: Campaigns {
        Campaigns(
            store: world.stores.campaigns,
            sender: world.sender,
            ids: world.ids,
            clock: world.time,
            signals: world.signals,
            timer: world.time,
            reach: reach
        )
    }

    func addOperator(_ id: OperatorID, _ role: OperatorRole, in app: AppID? = nil) async throws {
        try await world.database.write { connection in
            try connection.run(
                """
                INSERT INTO operators (id, address, address_key, display_name, state, role, theme, failed_attempts, created_at)
                VALUES ($1, $2, $2, $2, 2, $3, 0, 0, 0)
                """,
                id.rawValue,
                "\(id)",
                app == nil ? Self.code(role) : 0
            )
            guard let app else { return }
            try connection.run(
                "INSERT INTO operator_roles (app_id, operator_id, role) VALUES ($1, $2, $3)",
                app.rawValue,
                id.rawValue,
                Self.code(role)
            )
        }
    }

    private static func code(_ role: OperatorRole) -> Int64 {
        switch role {
        case .viewer: 1
        case .editor: 2
        case .sender: 3
        case .admin: 4
        }
    }

    /// Sets the App's guards.
    func setGuards(_ change: (inout SendGuardsUpdate) -> Void) async throws {
        var update = AppUpdate()
        var guards = SendGuardsUpdate()
        change(&guards)
        update.sendGuards = guards
        _ = try await world.apps.update(app, update)
    }

    /// A complete draft of an Operator.
    func draft(
        by person: OperatorID = author,
        _ change: (inout CampaignUpdate) -> Void = { _ in }
    ) async throws -> Campaign {
        let draft = try await campaigns.newDraft(app: app, name: "Spring", by: .operator(person))
        var update = CampaignUpdate()
        (update.audience, update.message, update.isAd) = (.all, DeliveryWorld.message(), false)
        change(&update)
        return try await save(draft, update, by: person)
    }

    @discardableResult
    func save(_ campaign: Campaign, _ update: CampaignUpdate, by person: OperatorID = author) async throws -> Campaign {
        let saving = try await campaigns.saveDraft(
            campaign.id,
            within: app,
            update,
            version: campaign.version,
            by: .operator(person)
        )
        guard case .saved(let saved) = saving else { throw EngineError.conflict("\(saving)") }
        return saved
    }

    /// Renames a Campaign: the smallest edit.
    func rename(_ campaign: Campaign, by person: OperatorID = author) async throws -> Campaign {
        var update = CampaignUpdate()
        update.name = .some("Renamed")
        return try await save(campaign, update, by: person)
    }

    /// Confirms with the number that is shown, typed.
    func confirm(
        _ campaign: Campaign,
        by person: OperatorID = author,
        key: String = "k1",
        _ change: (inout CampaignConfirmation) -> Void = { _ in }
    ) async throws -> ConfirmationResult {
        let number = try await reach.reach(of: campaign)
        var confirmation = CampaignConfirmation(
            version: campaign.version,
            reach: number,
            typed: String(number),
            key: key,
            isFresh: true,
            ticked: try await warnings(of: campaign)
        )
        change(&confirmation)
        return try await campaigns.confirm(campaign.id, within: app, confirmation, by: .operator(person))
    }

    /// What somebody who confirms has to accept.
    private func warnings(of campaign: Campaign) async throws -> Set<String> {
        guard campaign.undecided == nil else { return [] }
        let figures = try await campaigns.figures(of: campaign)
        return Set(try await campaigns.checks(of: campaign, figures).compactMap(\.tick))
    }

    func state(_ campaign: Campaign) async throws -> Campaign.State {
        try await campaigns.campaign(campaign.id, within: app).state
    }

    /// Sends another Campaign with a dispatcher, and returns how many notifications the push service got besides.
    ///
    /// A dispatcher begins what is due before it sends.
    func sentBesidesAnother() async throws -> Int {
        let before = world.sender.sent.count
        let other = try await world.campaigns.create(app: app, world.request()).id
        try await world.dispatching(world.dispatcher()) { _ = try await world.wait(for: .sent, of: other) }
        return world.sender.sent.count - before - 3
    }

    /// Dispatches until a Campaign is sent, and returns how many notifications the push service got.
    func sent(_ campaign: Campaign) async throws -> Int {
        let before = world.sender.sent.count
        try await world.dispatching(world.dispatcher()) { _ = try await world.wait(for: .sent, of: campaign.id) }
        return world.sender.sent.count - before
    }

    /// Lets a dispatcher look until a Campaign is in a state.
    func dispatch(_ campaign: Campaign, until state: Campaign.State) async throws {
        try await world.dispatching(world.dispatcher()) { _ = try await world.wait(for: state, of: campaign.id) }
    }

    /// Lets a dispatcher look until it has written that a Campaign is in a state.
    func stored(_ campaign: Campaign, in state: Campaign.State) async throws -> Campaign {
        let signal = world.signals.changes(of: campaign.id)
        return try await world.dispatching(world.dispatcher()) {
            while true {
                let count = signal.count
                let stored = try await world.stores.campaigns.campaign(campaign.id, within: app)
                if let stored, stored.state == state { return stored }
                await signal.wait(after: count)
                try Task.checkCancellation()
            }
        }
    }

    /// Waits for approval of a Campaign that is too large for one person.
    func ask(_ campaign: Campaign, by person: OperatorID = author, key: String = "k1") async throws -> Campaign {
        guard case .waiting(let waiting) = try await confirm(campaign, by: person, key: key) else {
            throw EngineError.conflict("It does not wait.")
        }
        return waiting
    }

    func approve(_ campaign: Campaign, by person: OperatorID = second) async throws -> ApprovalResult {
        try await campaigns.approve(
            campaign.id,
            within: app,
            version: campaign.version,
            reach: try await reach.reach(of: campaign),
            by: person
        )
    }
}
