package import CarillonModel
package import CarillonOperatorModel

/// Why work at a Campaign failed before anything of it was sent.
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

    /// Whether the Campaign may be the cause: a full disk affects all.
    package var countsForCampaign: Bool { cause != .full }

    /// Returns the text of the alarm that pauses a Campaign: the cause, and what to do.
    ///
    /// - Parameter attempts: The number of failed attempts in a row.
    /// - Returns: A word for programs, a colon, and sentences for people.
    package func alarm(attempts: Int) -> String {
        "\(Self.word): \(what) in \(attempts) attempts in a row. \(causeText) \(remedy) Then resume the campaign."
    }

    /// The word at the start of such an alarm.
    package static let word = "WorkFailed"

    private var what: String {
        switch step {
        case .start: "Its start failed"
        case .load: "Its message, audience and rules could not be loaded"
        case .readDevices, .readRest: "The devices of its audience could not be read"
        case .readRetries: "The notifications to be tried again could not be read"
        case .openReceiptKey: "The app's receipt key could not be opened"
        case .readValues: "The values that its message fills in could not be read"
        case .readRecentSends: "The recent sends to its devices could not be read"
        }
    }

    private var remedy: String {
        switch step {
        case .start: "Check its schedule, its time zone, and the database."
        case .load, .readRetries: "Check the database."
        case .readDevices, .readRest: "Simplify its audience, or check the database."
        case .openReceiptKey: "Check that this node has the same master key as the others."
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

/// When failed work is tried again, and how often.
package struct FailureRule: Hashable, Sendable {
    /// Maximum number of failed attempts in a row before an alarm pauses the Campaign, 1 through 1,000.
    package var limit = 20
    /// The delay after the first failure; it doubles.
    package var firstDelay = Duration.seconds(1)
    /// The longest delay.
    package var longestDelay = Duration.seconds(60)

    package init() {}

    /// Returns the delay after a number of failures in a row.
    package func delay(after failures: Int) -> Duration {
        min(longestDelay, firstDelay * (1 << min(max(0, failures - 1), 16)))
    }
}

/// The recorded failure of work.
package struct WorkSetback: Hashable, Sendable {
    /// The number of failed attempts in a row.
    package var failures: Int
    /// Whether the Campaign was paused.
    package var isPaused: Bool

    package init(failures: Int, isPaused: Bool) {
        self.failures = failures
        self.isPaused = isPaused
    }
}

/// The work that failed.
package struct FailedWork: Hashable, Sendable {
    package var app: AppID
    package var campaign: CampaignID
    package var occurrence: OccurrenceID
    /// Its lease, if there is one; the Chunk is given back.
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
