package import CarillonOperatorModel

/// The states of a Campaign and their transitions.
///
/// A pure value: a store applies an event inside its transaction and writes the resulting state, and the API uses the
/// same value to decide what is allowed.
///
/// ```
/// draft ──ask──▶ needsApproval ──refuse──▶ refused
///   │ ▲                │ │ └──expire──▶ expired
///   │ └──withdraw──────┘ │ approve
///   └──hold──▶ held ◀────┘       held ──undo──▶ draft
///               └──release──▶ scheduled
/// needsApproval, refused, expired, held, scheduled ──void──▶ draft
///
/// draft ──send──▶ scheduled ◀──▶ sending ──▶ sent
///                    │  ▲           │ ▲
///                    └──┴── pause ──┴─┘ resume (by way of paused)
/// all but sent ──cancel──▶ cancelling ──▶ cancelled
/// ```
package struct CampaignLifecycle: Hashable, Sendable {
    /// An event that may change a Campaign's state.
    package enum Event: Hashable, Sendable {
        /// An operator sends a draft.
        case send
        /// Somebody asks for approval of a draft.
        case ask
        /// An operator confirms a draft, or approves one: it can be undone for a while.
        case hold
        /// An operator approves it, and there is nothing to wait for; or the time in which it could be undone is over.
        case release
        /// An operator refuses to approve it.
        case refuse
        /// Who asked for approval takes that back.
        case withdraw
        /// An operator takes the confirmation back.
        case undo
        /// Nobody approved it in time, or none of its times is left.
        case expire
        /// Somebody changes it after it was confirmed, and before anything of it began.
        case void
        /// An operator pauses it, or an alarm does.
        case pause
        case resume
        case cancel
        /// An operator changes it; `content` means its audience or message.
        case change(content: Bool, hasBegun: Bool)
        /// One of its firings begins.
        case begin
        /// One of its Occurrences or its next firing changed.
        case progress(Progress)
    }

    /// The progress of a Campaign's Occurrences.
    package struct Progress: Hashable, Sendable {
        /// Whether it has another firing.
        package var hasNext: Bool
        /// Whether an Occurrence is being sent, paused or being cancelled.
        package var isOpen: Bool
        /// Whether an Occurrence began, complete or not.
        package var hasBegun: Bool

        package init(hasNext: Bool, isOpen: Bool, hasBegun: Bool) {
            self.hasNext = hasNext
            self.isOpen = isOpen
            self.hasBegun = hasBegun
        }
    }

    /// The result of an event.
    package enum Transition: Hashable, Sendable {
        /// The state does not allow the event.
        case refused
        /// The event changes no state.
        case unchanged
        case changed(to: Campaign.State)
    }

    package let state: Campaign.State

    package init(_ state: Campaign.State) { self.state = state }

    /// Returns the transition of an event.
    package func apply(_ event: Event) -> Transition {
        switch event {
        case .send: isDraft ? .changed(to: .scheduled) : .refused
        case .ask: isDraft ? .changed(to: .needsApproval) : .refused
        case .hold: isDraft || state == .needsApproval ? .changed(to: .held) : .refused
        case .release: state == .held || state == .needsApproval ? .changed(to: .scheduled) : .refused
        case .refuse: state == .needsApproval ? .changed(to: .refused) : .refused
        case .withdraw: state == .needsApproval ? .changed(to: .draft) : .refused
        case .undo: state == .held ? .changed(to: .draft) : .refused
        case .expire: state == .held || state == .needsApproval ? .changed(to: .expired) : .refused
        case .void: voiding
        case .pause: pausing
        case .resume: state == .paused ? .changed(to: .sending) : .refused
        case .cancel: cancelling
        case .change(let content, let hasBegun):
            isOpen && !(content && hasBegun) ? .unchanged : .refused
        case .begin: beginning
        case .progress(let progress): transition(to: next(progress))
        }
    }

    // MARK: - Private

    /// Whether it may still send something.
    private var isOpen: Bool {
        switch state {
        case .draft, .needsApproval, .refused, .expired, .held, .scheduled, .sending, .paused: true
        case .cancelling, .cancelled, .sent: false
        }
    }

    /// Whether somebody may send it as it is: nobody objected to it.
    private var isDraft: Bool { state == .draft || state == .expired }

    private var voiding: Transition {
        switch state {
        case .draft: .unchanged
        case .needsApproval, .refused, .expired, .held, .scheduled, .paused: .changed(to: .draft)
        case .sending, .cancelling, .cancelled, .sent: .refused
        }
    }

    private var pausing: Transition {
        switch state {
        case .scheduled, .sending: .changed(to: .paused)
        case .paused: .unchanged
        case .draft, .needsApproval, .refused, .expired, .held, .cancelling, .cancelled, .sent: .refused
        }
    }

    private var cancelling: Transition {
        switch state {
        case .draft, .needsApproval, .refused, .expired, .held, .scheduled, .sending, .paused:
            .changed(to: .cancelling)
        case .cancelling, .cancelled: .unchanged
        case .sent: .refused
        }
    }

    private var beginning: Transition {
        switch state {
        case .scheduled: .changed(to: .sending)
        case .sending: .unchanged
        case .draft, .needsApproval, .refused, .expired, .held, .paused, .cancelling, .cancelled, .sent: .refused
        }
    }

    private func transition(to next: Campaign.State) -> Transition {
        next == state ? .unchanged : .changed(to: next)
    }

    private func next(_ progress: Progress) -> Campaign.State {
        switch state {
        case .draft, .needsApproval, .refused, .expired, .held, .paused, .cancelled, .sent: state
        case .cancelling: progress.isOpen ? .cancelling : .cancelled
        case .scheduled, .sending:
            progress.isOpen ? .sending : progress.hasNext ? .scheduled : progress.hasBegun ? .sent : .cancelled
        }
    }
}

extension Campaign {
    /// The lifecycle in the Campaign's current state.
    package var lifecycle: CampaignLifecycle { CampaignLifecycle(state) }

    /// Whether it can be deleted: nothing of it was sent, and nobody decides about it.
    package var isDeletable: Bool { [.draft, .refused, .expired].contains(state) }
}
