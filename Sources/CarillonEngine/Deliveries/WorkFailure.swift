package import CarillonModel
package import CarillonOperatorModel

/// Why work at a Campaign could not go on, before anything of it was sent.
package struct WorkFailure: Error, Hashable, Sendable {
    /// What was attempted.
    package enum Step: Hashable, Sendable {
        case start
        case load
        case readDevices
        case readRetries
        case readRest
        case openReceiptKey
        case readValues
        case readRecentSends
    }

    package var step: Step
    package var cause: StoreError

    package init(_ step: Step, _ cause: StoreError) {
        self.step = step
        self.cause = cause
    }

    /// Whether it may be the Campaign's own trouble: a full disk is everybody's.
    package var countsForCampaign: Bool { cause != .full }

    /// What a Campaign's alarm says when it was paused for it: the cause, and what to do.
    ///
    /// - Parameter attempts: How many in a row failed.
    /// - Returns: A word for programs, a colon, and sentences for people.
    package func alarm(attempts: Int) -> String {
        "\(Self.word): \(what) in \(attempts) attempts in a row. \(causeText) \(remedy) Then resume the campaign."
    }

    /// The word that such an alarm begins with.
    package static let word = "WorkFailed"

    private var what: String {
        switch step {
        case .start: "Its start failed"
        case .load: "Its message, audience and rules could not be loaded"
        case .readDevices, .readRest: "The devices of its audience could not be read"
        case .readRetries: "The notifications to be tried again could not be read"
        case .openReceiptKey: "The app's receipt key could not be opened"
        case .readValues: "The values that its message fills in could not be read"
        case .readRecentSends: "What its devices were sent lately could not be read"
        }
    }

    private var remedy: String {
        switch step {
        case .start: "Check its schedule, its time zone, and the database."
        case .load, .readRetries: "Check the database."
        case .readDevices, .readRest: "Simplify its audience, or check the database."
        case .openReceiptKey: "Check that this node has the master key of the others."
        case .readValues: "Check how many attributes its message names, and the database."
        case .readRecentSends:
            "Look for users with thousands of devices, or lift the app's frequency caps and duplicate guard."
        }
    }

    private var causeText: String {
        switch cause {
        case .full: "The disk is full."
        case .repeated: "The cause: the same request was answered before."
        case .staleMasterKey: StoreError.staleMasterKeyAdvice
        case .unavailable(let text), .failed(let text): "The cause: \(text)"
        }
    }
}

/// When work that could not go on is tried again, and how often.
package struct FailureRule: Hashable, Sendable {
    /// How many attempts in a row may fail before the Campaign is paused with an alarm, 1 through 1,000.
    package var limit = 20
    /// How long to wait after the first; it doubles.
    package var firstDelay = Duration.seconds(1)
    /// How long to wait at most.
    package var longestDelay = Duration.seconds(60)

    package init() {}

    /// How long to wait after so many failures in a row.
    package func delay(after failures: Int) -> Duration {
        min(longestDelay, firstDelay * (1 << min(max(0, failures - 1), 16)))
    }
}

/// What became of work that could not go on.
package struct WorkSetback: Hashable, Sendable {
    /// How many attempts in a row have failed.
    package var failures: Int
    /// Whether the Campaign was paused for it.
    package var isPaused: Bool

    package init(failures: Int, isPaused: Bool) {
        self.failures = failures
        self.isPaused = isPaused
    }
}

/// Which work could not go on.
package struct FailedWork: Hashable, Sendable {
    package var app: AppID
    package var campaign: CampaignID
    package var occurrence: OccurrenceID
    /// The lease that was taken for it; the Chunk is given back.
    package var lease: Lease?

    package init(app: AppID, campaign: CampaignID, occurrence: OccurrenceID, lease: Lease? = nil) {
        self.app = app
        self.campaign = campaign
        self.occurrence = occurrence
        self.lease = lease
    }

    package init(_ lease: Lease) {
        self.init(
            app: lease.chunk.app,
            campaign: lease.campaign,
            occurrence: lease.chunk.occurrence,
            lease: lease
        )
    }
}
