package import CarillonOperatorModel

/// The states of a Campaign and their transitions.
///
/// A pure value: a store applies an event inside its transaction and writes the resulting state, and the API uses the
/// same value to decide what is allowed.
///
/// ```
/// draft ──send──▶ scheduled ◀──▶ sending ──▶ sent
///                    │  ▲           │ ▲
///                    └──┴── pause ──┴─┘ resume (by way of paused)
/// draft, scheduled, sending, paused ──cancel──▶ cancelling ──▶ cancelled
/// ```
package struct CampaignLifecycle: Hashable, Sendable {
    /// An event that may change a Campaign's state.
    package enum Event: Hashable, Sendable {
        /// An operator sends a draft.
        case send
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
        case .send: state == .draft ? .changed(to: .scheduled) : .refused
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
        case .draft, .scheduled, .sending, .paused: true
        case .cancelling, .cancelled, .sent: false
        }
    }

    private var pausing: Transition {
        switch state {
        case .scheduled, .sending: .changed(to: .paused)
        case .paused: .unchanged
        case .draft, .cancelling, .cancelled, .sent: .refused
        }
    }

    private var cancelling: Transition {
        switch state {
        case .draft, .scheduled, .sending, .paused: .changed(to: .cancelling)
        case .cancelling, .cancelled: .unchanged
        case .sent: .refused
        }
    }

    private var beginning: Transition {
        switch state {
        case .scheduled: .changed(to: .sending)
        case .sending: .unchanged
        case .draft, .paused, .cancelling, .cancelled, .sent: .refused
        }
    }

    private func transition(to next: Campaign.State) -> Transition {
        next == state ? .unchanged : .changed(to: next)
    }

    private func next(_ progress: Progress) -> Campaign.State {
        switch state {
        case .draft, .paused, .cancelled, .sent: state
        case .cancelling: progress.isOpen ? .cancelling : .cancelled
        case .scheduled, .sending:
            progress.isOpen ? .sending : progress.hasNext ? .scheduled : progress.hasBegun ? .sent : .cancelled
        }
    }
}

extension Campaign {
    /// The lifecycle in the Campaign's current state.
    package var lifecycle: CampaignLifecycle { CampaignLifecycle(state) }
}
