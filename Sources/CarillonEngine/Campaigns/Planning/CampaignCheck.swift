package import CarillonModel
package import CarillonOperatorModel

/// What is found about a Campaign before it is sent.
package struct CampaignCheck: Hashable, Sendable {
    /// What is found; those that block come first.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// What the API would refuse as well; the subject is the field.
        case problem
        /// No Device gets it.
        case nobody
        /// The App has no push key that works.
        case noKey
        /// A placeholder has no default; the subject is language and placeholder.
        case noFallback
        /// Notifications expire before the last one is sent.
        case expiresEarly
        /// An ad without the contact and the way to refuse.
        case noAdWording
        /// The local time is over in some zones, and nobody chose what happens there; the number is of Devices.
        case timePassed
        /// A whole title or body is what people type to try something; the subject is its place.
        case placeholder
        /// The same content went to some of the same people within a day; the subject is that Campaign.
        case sameContent
        /// The reach is more than three times the largest of 90 days, which is the number.
        case unusualReach
        /// It goes to all Devices.
        case everyone
        /// An image or a link does not answer; the subject is the address.
        case deadLink
        /// It is night for more than five percent of the reach; the number is of Devices.
        case night
        /// More than two percent of the reach have a language without content; the subject is the language.
        case noLanguage
        /// This version was not sent to a test Device.
        case untested
    }

    package var kind: Kind
    /// What it is about; `nil` when the kind says all.
    package var subject: String?
    /// A number of Devices.
    package var number: Int?
    /// In plain English, for ``Kind/problem``.
    package var detail: String?

    package init(_ kind: Kind, subject: String? = nil, number: Int? = nil, detail: String? = nil) {
        self.kind = kind
        self.subject = subject
        self.number = number
        self.detail = detail
    }

    /// The name under which it is accepted; `nil` when it cannot be accepted.
    package var tick: String? {
        switch kind {
        case .problem, .nobody, .noKey, .noFallback, .expiresEarly, .noAdWording, .timePassed: nil
        case .placeholder, .sameContent, .unusualReach, .everyone, .deadLink, .night, .noLanguage, .untested:
            kind.rawValue + (subject.map { ":" + $0 } ?? "")
        }
    }

    /// Whether it stops sending unless somebody accepts it, in which case the log names it.
    package func blocks(_ ticked: Set<String>) -> Bool { tick.map { !ticked.contains($0) } ?? true }
}

/// What checks look at, beside the Campaign.
package struct CampaignCheckFacts: Sendable {
    /// The Devices that get it.
    package var reach = 0
    /// The Devices of the reach by language; the empty tag for none.
    package var languages: [String: Int] = [:]
    /// The Devices of the reach by time zone; the empty name for none.
    package var zones: [String: Int] = [:]
    /// The Devices that get nothing because their local time is over.
    package var passed = 0
    /// What creating the Campaign would refuse.
    package var problems: [FieldError] = []
    package var hasKey = true
    package var isTested = true
    /// Campaigns of the last 24 hours to some of the same people.
    package var recent: [Campaign] = []
    /// The largest reach of the last 90 days; `nil` when nothing was sent.
    package var largestReach: Int?
    /// Addresses that did not answer.
    package var deadLinks: [String] = []
    package var now: Timestamp

    package init(now: Timestamp) { self.now = now }
}
