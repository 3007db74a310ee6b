import CarillonEngine
import CarillonModel
import CarillonOperatorModel

/// What may be done to a Campaign beside pausing, resuming and cancelling: holding, approving, editing and following it.
struct CampaignMoves: Hashable, Sendable {
    /// A link or a button with its words.
    struct Move: Hashable, Sendable {
        let movePath: String
        let moveWords: String
    }

    /// A hold that is not over.
    struct Hold: Hashable, Sendable {
        let heldSeconds: String
        let heldText: String
        let heldUntil: TimeView
        let undoPath: String?
        let sendNowPath: String?
    }

    /// A request for approval.
    struct Approval: Hashable, Sendable {
        let approvalText: String
        let approvalExpires: TimeView?
        /// Why it was refused.
        let approvalReason: String?
        let approvePath: String?
        let approveButton: String
        let refusePath: String?
        let withdrawPath: String?
        let approvalVersion: String
        /// The number of Devices that has to be accepted, since it is another than was asked for.
        let approvalAccept: String?
        let approvalRecount: String
        /// Why this Operator cannot decide.
        let approvalNote: String?
    }

    /// The throttle of a Campaign that is being sent.
    struct Throttle: Hashable, Sendable {
        let pacePath: String
        let perMinute: FieldView
    }

    let hold: Hold?
    let approval: Approval?
    let editPath: String?
    let throttle: Throttle?
    /// Buttons that make a draft.
    let drafts: [Move]
    let hasDrafts: Bool
    /// How many have it and cannot be recalled; `nil` unless it was stopped.
    let recallText: String?

    /// What is known beside the Campaign.
    struct Facts: Sendable {
        var now: Timestamp
        var mayEdit: Bool
        var maySend: Bool
        /// Whether this Operator may approve it: somebody who wrote no part of it.
        var mayApprove: Bool
        /// How many Devices it reaches now, for an Operator who may approve it.
        var reach: Int?
        var accepted: Int
    }

    init(_ campaign: Campaign, _ facts: Facts, path: String, _ look: Look) {
        let texts = look.texts
        hold = Self.hold(campaign, facts, path, look)
        approval = Self.approval(campaign, facts, path, look)
        let isEditable = [.draft, .refused, .expired, .needsApproval, .held, .scheduled].contains(campaign.state)
        editPath = facts.mayEdit && isEditable && campaign.occurrence == nil ? path + "/edit" : nil
        throttle =
            facts.maySend && campaign.state == .sending && !campaign.isGrouped
            ? Throttle(pacePath: path + "/pace", perMinute: Self.paceField(campaign, texts)) : nil
        var drafts: [Move] = []
        func offer(_ end: String, _ key: String) {
            drafts.append(Move(movePath: path + end, moveWords: texts("moves." + key)))
        }
        let isOver = [.sent, .cancelled, .cancelling].contains(campaign.state)
        if facts.maySend, isOver, facts.accepted > 0, campaign.channel == .notification { offer("/correct", "correct") }
        if facts.mayEdit {
            offer("/duplicate", "duplicate")
            if isOver, facts.accepted > 0 {
                for followers in Campaigns.Followers.allCases {
                    offer("/follow/" + followers.rawValue, "follow." + followers.rawValue)
                }
            }
        }
        self.drafts = drafts
        hasDrafts = !drafts.isEmpty
        recallText =
            [.cancelled, .cancelling].contains(campaign.state) && facts.accepted > 0
            ? texts("moves.recall", count: facts.accepted) : nil
    }

    // MARK: - Private

    private static func hold(_ campaign: Campaign, _ facts: Facts, _ path: String, _ look: Look) -> Hold? {
        guard campaign.state == .held, let until = campaign.heldUntil else { return nil }
        let left = max(0, (until.rawValue - facts.now.rawValue + 999) / 1_000)
        return Hold(
            heldSeconds: String(left),
            heldText: look.texts("moves.held", count: Int(left)),
            heldUntil: look.times.exact(until),
            undoPath: facts.maySend ? path + "/undo" : nil,
            sendNowPath: facts.maySend ? path + "/send-now" : nil
        )
    }

    private static func approval(_ campaign: Campaign, _ facts: Facts, _ path: String, _ look: Look) -> Approval? {
        guard let approval = campaign.approval, approval.outcome != .approved || campaign.state == .held else {
            return nil
        }
        let isWaiting = campaign.state == .needsApproval
        let mayDecide = isWaiting && facts.maySend && facts.mayApprove
        let reach = facts.reach.flatMap { GuardStep.isFar(approval.reach, $0) ? $0 : nil }
        return Approval(
            approvalText: look.texts(
                "approval.is." + approval.outcome.rawValue,
                count: approval.reach,
                ["time": look.times.sentence(approval.requestedAt).text]
            ),
            approvalExpires: isWaiting ? look.times.table(approval.expiresAt) : nil,
            approvalReason: approval.reason,
            approvePath: mayDecide ? path + "/approve" : nil,
            approveButton: look.texts("approval.approve", count: reach ?? approval.reach),
            refusePath: mayDecide ? path + "/refuse" : nil,
            withdrawPath: isWaiting && facts.mayEdit ? path + "/withdraw" : nil,
            approvalVersion: String(approval.version),
            approvalAccept: mayDecide ? reach.map(String.init) : nil,
            approvalRecount: look.texts("approval.accept", count: reach ?? 0),
            approvalNote: isWaiting && facts.maySend && !facts.mayApprove ? look.texts("approval.own") : nil
        )
    }

    private static func paceField(_ campaign: Campaign, _ texts: Texts) -> FieldView {
        var value = ""
        if case .perMinute(let number) = campaign.pace { value = String(number) }
        return FormState.empty.field(
            "perMinute",
            texts("delivery.field.perMinute"),
            hint: texts("moves.paceHint"),
            standard: value,
            type: "number"
        )
    }
}
