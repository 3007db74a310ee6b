import CarillonEngine
import CarillonOperatorModel
import Testing

struct CampaignLifecycleTests {
    private typealias Lifecycle = CampaignLifecycle

    /// The result of each event in each state: `-` is refused, `=` is unchanged, otherwise the new state.
    private static let table: [Campaign.State: [String]] = [
        // send, pause, resume, cancel, change, content, content later, begin
        .draft: ["scheduled", "-", "-", "cancelling", "=", "=", "-", "-"],
        .needsApproval: ["-", "-", "-", "cancelling", "=", "=", "-", "-"],
        .refused: ["-", "-", "-", "cancelling", "=", "=", "-", "-"],
        .expired: ["scheduled", "-", "-", "cancelling", "=", "=", "-", "-"],
        .held: ["-", "-", "-", "cancelling", "=", "=", "-", "-"],
        .scheduled: ["-", "paused", "-", "cancelling", "=", "=", "-", "sending"],
        .sending: ["-", "paused", "-", "cancelling", "=", "=", "-", "="],
        .paused: ["-", "=", "sending", "cancelling", "=", "=", "-", "-"],
        .cancelling: ["-", "-", "-", "=", "-", "-", "-", "-"],
        .cancelled: ["-", "-", "-", "=", "-", "-", "-", "-"],
        .sent: ["-", "-", "-", "-", "-", "-", "-", "-"],
    ]
    private static let events: [Lifecycle.Event] = [
        .send, .pause, .resume, .cancel, .change(content: false, hasBegun: true),
        .change(content: true, hasBegun: false), .change(content: true, hasBegun: true), .begin,
    ]

    /// The same of the guards before a send.
    private static let guards: [Campaign.State: [String]] = [
        // ask, hold, release, refuse, withdraw, undo, expire, void
        .draft: ["needsApproval", "held", "-", "-", "-", "-", "-", "="],
        .needsApproval: ["-", "held", "scheduled", "refused", "draft", "-", "expired", "draft"],
        .refused: ["-", "-", "-", "-", "-", "-", "-", "draft"],
        .expired: ["needsApproval", "held", "-", "-", "-", "-", "-", "draft"],
        .held: ["-", "-", "scheduled", "-", "-", "draft", "expired", "draft"],
        .scheduled: ["-", "-", "-", "-", "-", "-", "-", "draft"],
        .sending: ["-", "-", "-", "-", "-", "-", "-", "-"],
        .paused: ["-", "-", "-", "-", "-", "-", "-", "draft"],
        .cancelling: ["-", "-", "-", "-", "-", "-", "-", "-"],
        .cancelled: ["-", "-", "-", "-", "-", "-", "-", "-"],
        .sent: ["-", "-", "-", "-", "-", "-", "-", "-"],
    ]
    private static let guardEvents: [Lifecycle.Event] = [
        .ask, .hold, .release, .refuse, .withdraw, .undo, .expire, .void,
    ]

    private func word(_ transition: Lifecycle.Transition) -> String {
        switch transition {
        case .refused: "-"
        case .unchanged: "="
        case .changed(let state): state.rawValue
        }
    }

    @Test("Each event has the documented effect in each state", arguments: Campaign.State.allCases)
    func events(_ state: Campaign.State) {
        #expect(Self.events.map { word(Lifecycle(state).apply($0)) } == Self.table[state])
        #expect(Self.guardEvents.map { word(Lifecycle(state).apply($0)) } == Self.guards[state])
    }

    @Test("A Campaign's state follows its Occurrences until it is complete")
    func progress() {
        // Whether an Occurrence is open, whether another firing follows, whether one began.
        let cases: [(Bool, Bool, Bool)] = [
            (true, true, true), (true, false, true), (false, true, true), (false, false, true), (false, false, false),
        ]
        func words(_ state: Campaign.State) -> [String] {
            cases.map { open, hasNext, begun in
                let progress = Lifecycle.Progress(hasNext: hasNext, isOpen: open, hasBegun: begun)
                return word(Lifecycle(state).apply(.progress(progress)))
            }
        }

        #expect(words(.scheduled) == ["sending", "sending", "=", "sent", "cancelled"])
        #expect(words(.sending) == ["=", "=", "scheduled", "sent", "cancelled"])
        #expect(words(.cancelling) == ["=", "=", "cancelled", "cancelled", "cancelled"])
        for state in [Campaign.State.draft, .needsApproval, .refused, .expired, .held, .paused, .cancelled, .sent] {
            #expect(words(state) == ["=", "=", "=", "=", "="])
        }
    }
}
